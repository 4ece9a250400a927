import sbt.*
import sbt.Keys.*

/** The libraries that read tables of other formats, for a call that makes them tables of a lake. They
  * are never in our jar: a session brings them with `--packages`.
  */
object MovingJars {

  val movingJars =
    taskKey[Seq[File]]("The jars of Iceberg's library for tests, in target/moving-jars")

  /** Without what Spark has already. */
  val iceberg: Seq[ModuleID] =
    Seq("api", "bundled-guava", "common", "core")
      .map(part => ("org.apache.iceberg" % s"iceberg-$part" % Versions.iceberg).intransitive())

  /** The rest of Iceberg's own reader, which judges in tests. */
  private val reader: Seq[ModuleID] =
    Seq("data", "parquet")
      .map(part => ("org.apache.iceberg" % s"iceberg-$part" % Versions.iceberg).intransitive()) :+
      ("org.apache.parquet" % "parquet-avro" % Versions.parquetAvro).intransitive()

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    movingJars := {
      val folder = target.value / "moving-jars"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      val wanted = iceberg ++ reader :+ ("com.github.ben-manes.caffeine" % "caffeine" % Versions.caffeine)
        .intransitive()
      PythonEnv.remake(folder, wanted.mkString("\n")) {
        Resolving.jars(resolution, wanted, log).foreach { jar =>
          IO.copyFile(jar, folder / jar.getName)
        }
      }
      (folder * "*.jar").get.sorted
    }
  )
}
