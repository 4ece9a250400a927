import sbt.*
import sbt.Keys.*

/** The libraries that read tables of other formats, for a call that makes them tables of a lake. They
  * are never in our jar: a session brings them with `--packages`.
  */
object MovingJars {

  val movingJars =
    taskKey[Seq[File]]("The jars of the libraries for tests, in target/moving-jars")

  val deltaJars =
    taskKey[Seq[File]](
      "The jars of Delta's connector, which makes tables for tests, in target/delta-jars"
    )

  /** Iceberg's library, without what Spark has already. */
  private val iceberg: Seq[ModuleID] =
    Seq("api", "bundled-guava", "common", "core", "data")
      .map(part => ("org.apache.iceberg" % s"iceberg-$part" % Versions.iceberg).intransitive())

  /** The rest of Iceberg's own reader, which no code of ours names. */
  private val reader: Seq[ModuleID] =
    Seq("parquet")
      .map(part => ("org.apache.iceberg" % s"iceberg-$part" % Versions.iceberg).intransitive()) :+
      ("org.apache.parquet" % "parquet-avro" % Versions.parquetAvro).intransitive()

  /** Delta's Kernel, without what Spark has already. */
  private val delta: Seq[ModuleID] =
    Seq("kernel-api", "kernel-defaults", "storage")
      .map(part => ("io.delta" % s"delta-$part" % Versions.delta).intransitive())

  /** For the version of Spark of the tests. */
  private val connector: Seq[ModuleID] = Seq(
    ("io.delta" % "delta-spark_4.2_2.13" % Versions.delta).intransitive(),
    ("io.delta" % "delta-storage" % Versions.delta).intransitive(),
  )

  /** What our code calls. */
  val libraries: Seq[ModuleID] = iceberg ++ delta

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    movingJars := {
      val folder = target.value / "moving-jars"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      val wanted = libraries ++ reader :+
        ("com.github.ben-manes.caffeine" % "caffeine" % Versions.caffeine).intransitive()
      PythonEnv.remake(folder, wanted.mkString("\n")) {
        Resolving.jars(resolution, wanted, log).foreach { jar =>
          IO.copyFile(jar, folder / jar.getName)
        }
      }
      (folder * "*.jar").get.sorted
    },
    deltaJars := {
      val folder = target.value / "delta-jars"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      PythonEnv.remake(folder, connector.mkString("\n")) {
        Resolving.jars(resolution, connector, log).foreach { jar =>
          IO.copyFile(jar, folder / jar.getName)
        }
      }
      (folder * "*.jar").get.sorted
    },
  )
}
