import sbt.*
import sbt.Keys.*
import sbt.librarymanagement.DependencyResolution

/** What the Spark of a line needs to open `s3a://` in tests, about 36 small jars: `hadoop-aws` and the
  * modules of Amazon's client that it calls. The bundle that `hadoop-aws` names has 600 MB. Spark has
  * Netty, Apache's HTTP client and SLF4J already.
  */
object StoreJars {

  val storeJars =
    taskKey[Seq[File]]("The jars of S3A for tests with the newest Spark, in target/s3a-jars")
  val storeJarsOfLines =
    taskKey[Seq[File]]("The jars of S3A for tests with older Sparks, in target/s3a-jars-<line>")

  private def module(name: String, version: String): ModuleID =
    ("software.amazon.awssdk" % name % version).excludeAll(
      ExclusionRule("io.netty"),
      ExclusionRule("org.apache.httpcomponents"),
      ExclusionRule("org.slf4j"),
      ExclusionRule("commons-codec"),
    )

  private def needed(store: StoreLine): Seq[ModuleID] = {
    val accelerator = store.accelerator.map { version =>
      ("software.amazon.s3.analyticsaccelerator" % "analyticsaccelerator-s3" % version)
        .intransitive()
    }
    ("org.apache.hadoop" % "hadoop-aws" % store.hadoop).intransitive() +:
      (Seq("s3", "s3-transfer-manager", "sts").map(module(_, store.awsSdk)) ++ accelerator)
  }

  /** Exactly the jars of the line are in its folder afterwards. */
  private def staged(
      line: SparkLine,
      folder: File,
      resolution: DependencyResolution,
      log: Logger,
  ): Seq[File] = {
    val stamp = needed(line.store).mkString("\n")
    PythonEnv.remake(folder, stamp) {
      Resolving.jars(resolution, needed(line.store), log).foreach { jar =>
        IO.copyFile(jar, folder / jar.getName)
      }
    }
    (folder * "*.jar").get.sorted
  }

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    storeJars := staged(
      SparkLines.spark42,
      target.value / "s3a-jars",
      dependencyResolution.value,
      streams.value.log,
    ),
    storeJarsOfLines := {
      val resolution = dependencyResolution.value
      val log = streams.value.log
      val top = target.value
      SparkLines.all
        .filterNot(_ == SparkLines.spark42)
        .flatMap(line => staged(line, top / s"s3a-jars-${line.name}", resolution, log))
    },
  )
}
