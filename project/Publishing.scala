import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.assembly

import scala.xml.Elem
import scala.xml.Node
import scala.xml.transform.RewriteRule
import scala.xml.transform.RuleTransformer

/** The bundle of each line as a Maven artifact, with a jar of sources and one of documents. */
object Publishing {

  val repository = taskKey[File]("A Maven repository with the bundles, in target/repository")

  /** Everything the bundle needs is in it, or comes with Spark. */
  private object WithoutDependencies extends RewriteRule {
    override def transform(node: Node): Seq[Node] = node match {
      case element: Elem if element.label == "dependencies" => Nil
      case other => other
    }
  }

  /** For the root project. */
  val all: Setting[?] = repository := {
    publish.all(ScopeFilter(inProjects(SparkLines.bundles*))).value
    target.value / "repository"
  }

  private val told: Def.Initialize[Task[Unit]] = Def.task {
    val log = streams.value.log
    Metadata.missing((LocalRootProject / baseDirectory).value).foreach(line => log.warn(line))
  }

  /** For the bundle of a line; the modules are those whose sources are in its jar of sources. */
  def settings(modules: ProjectReference*): Seq[Setting[?]] = Seq(
    publish / skip := false,
    publishMavenStyle := true,
    versionScheme := Some("early-semver"),
    publishTo := Some(MavenCache("target", (LocalRootProject / target).value / "repository")),
    publishConfiguration := publishConfiguration.value.withOverwrite(true),
    publishM2Configuration := publishM2Configuration.value.withOverwrite(true),
    publish := publish.dependsOn(told).value,
    publishM2 := publishM2.dependsOn(told).value,
    description := Metadata.description((LocalRootProject / baseDirectory).value),
    organizationName := "The maintainers of ducklake-spark",
    homepage := Metadata.repository((LocalRootProject / baseDirectory).value),
    licenses := Metadata
      .licence((LocalRootProject / baseDirectory).value)
      .map(found => found.id -> found.url)
      .toSeq,
    scmInfo := homepage.value.map(address => ScmInfo(address, s"scm:git:$address")),
    pomExtra :=
      <developers>
        <developer>
          <name>{organizationName.value}</name>
        </developer>
      </developers>,
    pomPostProcess := (new RuleTransformer(WithoutDependencies).apply(_)),
    Compile / packageBin := assembly.value,
    Compile / packageSrc / mappings :=
      (Compile / packageSrc / mappings).all(ScopeFilter(inProjects(modules*))).value.flatten,
    Compile / packageDoc / mappings :=
      Path.allSubpaths((LocalRootProject / Verify.docs).value).toSeq,
  )
}
