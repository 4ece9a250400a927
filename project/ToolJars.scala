import sbt.*
import sbt.Keys.*

/** What other people put beside our jar, for the tests that run with it in `verifyAll`: each jar alone,
  * because Spark has what they call.
  */
object ToolJars {

  val toolJars = taskKey[File]("OpenLineage's listener, Iceberg, Delta and Comet, in target/tools")

  private val modules = Seq(
    "io.openlineage" % "openlineage-spark_2.13" % Versions.openLineage,
    "org.apache.iceberg" % "iceberg-spark-runtime-4.1_2.13" % Versions.iceberg,
    "io.delta" % "delta-spark_4.1_2.13" % Versions.delta,
    "io.delta" % "delta-storage" % Versions.delta,
    "org.apache.datafusion" % "comet-spark-spark4.1_2.13" % Versions.comet,
  )

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    toolJars := {
      val folder = target.value / "tools"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      PythonEnv.remake(folder, modules.mkString(" ")) {
        Resolving
          .jars(resolution, modules.map(_.intransitive()), log)
          .foreach(jar => IO.copyFile(jar, folder / jar.getName))
      }
      folder
    }
  )
}
