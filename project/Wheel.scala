import sbt.*
import sbt.Keys.*

/** The Python package: its wheel carries the jars of every line of Spark, and native libraries for
  * one platform.
  */
object Wheel {

  val wheel = taskKey[File]("The wheel of the Python package, in target/dist")
  val packageJars = taskKey[Seq[File]](
    "The jars inside the Python package, in its source folder; those for the newest Spark"
  )
  val packageLines = taskKey[Seq[File]]("The same, for every Spark")

  /** DuckDB's library for this machine as a jar of its own: its driver carries those of all. */
  private def nativeJar(report: UpdateReport, folder: File): File = {
    val made = folder / s"duckdb_jdbc-${Versions.duckdbJdbc}-${Platform.duckDb}.jar"
    if (!made.exists) {
      val driver = report.select(module = moduleFilter("org.duckdb", "duckdb_jdbc")).head
      val library = s"libduckdb_java.so_${Platform.duckDb}"
      IO.withTemporaryDirectory { extracted =>
        val found = IO.unzip(driver, extracted, new ExactFilter(library))
        if (found.isEmpty) sys.error(s"DuckDB publishes no native library for ${Platform.duckDb}")
        IO.zip(found.map(_ -> library), made, Some(0L))
      }
    }
    made
  }

  /** Exactly these jars are in the folder afterwards. */
  private def stage(jars: Seq[File], folder: File): Seq[File] = {
    val staged = jars.map(jar => jar -> folder / jar.getName)
    val strangers = (folder * "*.jar").get.filterNot(staged.map(_._2).contains)
    IO.delete(strangers)
    IO.copy(
      staged,
      CopyOptions(overwrite = true, preserveLastModified = true, preserveExecutable = false),
    )
    staged.map(_._2)
  }

  /** The licence goes into the wheel as soon as there is one. */
  private def stageLicence(top: File, folder: File): Unit =
    if (Metadata.licence(top).isDefined)
      IO.copyFile(Metadata.licenceFile(top), folder / Metadata.licenceFile(top).getName)
    else IO.delete(folder / Metadata.licenceFile(top).getName)

  private def build(python: File, source: File, folder: File): File = {
    IO.delete((folder * "*.whl").get)
    PythonEnv.run(
      Seq(python.getPath, "-m", "hatchling", "build", "-t", "wheel", "-d", folder.getPath),
      source,
    )
    (folder * "*.whl").get match {
      case Seq(made) => made
      case other => sys.error(s"one wheel was expected in $folder, found ${other.size}")
    }
  }

  private def staged(top: File): File = top / "python" / "src" / "ducklake_spark" / "jars"

  private def isOf(folder: File, parts: WheelJars.Parts): Boolean =
    folder.getName == parts.line.name

  def settings(bundle: Project): Seq[Setting[?]] = Seq(
    packageJars := {
      val parts = (bundle / WheelJars.wheelParts).value
      val native = nativeJar((bundle / update).value, (bundle / target).value / "native")
      val folder = staged(baseDirectory.value)
      stage(Seq(parts.common, native), folder) ++ stage(Seq(parts.own), folder / parts.line.name)
    },
    packageLines := {
      val newest = packageJars.value
      val lines = WheelJars.wheelParts.all(ScopeFilter(inProjects(SparkLines.bundles*))).value
      val folder = staged(baseDirectory.value)
      WheelJars.refuseDifferent(lines)
      IO.delete((folder * DirectoryFilter).get.filterNot(each => lines.exists(isOf(each, _))))
      newest ++ lines.filterNot(_.line == SparkLines.spark42).flatMap { parts =>
        stage(Seq(parts.own), folder / parts.line.name)
      }
    },
    wheel := {
      val jars = packageLines.value
      val log = streams.value.log
      Metadata.missing(baseDirectory.value).foreach(line => log.warn(line))
      log.info(s"packing ${jars.map(_.getName).mkString(", ")}")
      stageLicence(baseDirectory.value, baseDirectory.value / "python")
      Sbom.ofWheel((bundle / update).value, version.value, baseDirectory.value / "python" / "sbom")
      build(
        PythonEnv.python.value,
        baseDirectory.value / "python",
        baseDirectory.value / "target" / "dist",
      )
    },
  )
}
