import sbt.*
import sbt.Keys.*

/** What Spark needs to open `s3a://` in tests, 36 small jars: `hadoop-aws` and the modules of Amazon's
  * client that it calls. The bundle that `hadoop-aws` names has 600 MB. Spark has Netty, Apache's HTTP
  * client and SLF4J already.
  */
object StoreJars {

  val storeJars = taskKey[Seq[File]]("The jars of Hadoop's S3A for tests, in target/s3a-jars")

  private val S3a = config("s3a").hide

  private def module(name: String): ModuleID =
    ("software.amazon.awssdk" % name % Versions.awsSdk % S3a).excludeAll(
      ExclusionRule("io.netty"),
      ExclusionRule("org.apache.httpcomponents"),
      ExclusionRule("org.slf4j"),
      ExclusionRule("commons-codec"),
    )

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    ivyConfigurations += S3a,
    libraryDependencies ++= Seq(
      ("org.apache.hadoop" % "hadoop-aws" % Versions.hadoop % S3a).intransitive(),
      ("software.amazon.s3.analyticsaccelerator" % "analyticsaccelerator-s3" %
        Versions.analyticsAccelerator % S3a).intransitive(),
      module("s3"),
      module("s3-transfer-manager"),
      module("sts"),
    ),
    storeJars := {
      val folder = target.value / "s3a-jars"
      val found = update.value.select(configurationFilter(S3a.name)).distinct
      val staged = found.map(jar => jar -> folder / jar.getName)
      IO.delete((folder * "*.jar").get.filterNot(staged.map(_._2).contains))
      IO.copy(staged)
      staged.map(_._2)
    },
  )
}
