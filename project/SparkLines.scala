import sbt.*
import sbt.Keys.*

/** A line of Spark: the versions that one jar serves.
  *
  * @param name the minor version that the jar is named by
  * @param served patch releases, the oldest first: the jar is compiled against that one
  * @param files what the module `files` is compiled against
  * @param folders the folders of `jvm/spark/src/main` that the line has beside the common one
  */
final case class SparkLine(
    name: String,
    served: Seq[String],
    files: FilesLine,
    folders: Seq[String],
) {

  /** Behind the names of modules; none for the newest line. */
  def suffix: String = if (this == SparkLines.spark42) "" else name.replace(".", "")
}

/** The libraries that come with Spark and that the module `files` needs.
  *
  * @param folder the folder of `jvm/files/src/main` beside the common one
  */
final case class FilesLine(
    spark: String,
    parquet: String,
    hadoop: String,
    roaringBitmap: String,
    jackson: String,
    folder: String,
)

/** The lines of Spark, and the modules of each. Everything that differs between lines stands in
  * folders named by the range of versions that has it.
  */
object SparkLines {

  private val parquet117 =
    FilesLine("4.2.0", "1.17.0", "3.4.3", "1.6.9", "2.21.2", "since-parquet-1.16")

  val spark42: SparkLine = SparkLine(
    "4.2",
    Seq("4.2.0", "4.2.1", "4.3.0"),
    parquet117,
    Seq("since-4.2", "since-4.1"),
  )

  /** In the sources of a module whose own folder is elsewhere. */
  private def sourcesIn(module: String, folders: Seq[String]): Seq[Setting[?]] = Seq(
    sourceDirectory := (LocalRootProject / baseDirectory).value / "jvm" / module / "src",
    Compile / unmanagedSourceDirectories ++= folders.map((Compile / sourceDirectory).value / _),
  )

  private def module(name: String, suffix: String): Project = {
    val folder = if (suffix.isEmpty) s"jvm/$name" else s"target/lines/$name$suffix"
    Project(name + suffix, file(folder))
  }

  /** The module `files`; lines of the same [[FilesLine]] share it. */
  def files(line: SparkLine): Project =
    module("files", line.suffix).settings(
      sourcesIn("files", Seq(line.files.folder)),
      name := s"ducklake-files${line.suffix}",
      libraryDependencies ++= Seq(
        ("org.apache.spark" %% "spark-sql" % line.files.spark % Provided).intransitive(),
        "org.apache.parquet" % "parquet-hadoop" % line.files.parquet % Provided,
        "org.apache.hadoop" % "hadoop-client-api" % line.files.hadoop % Provided,
        "org.apache.hadoop" % "hadoop-client-runtime" % line.files.hadoop % Provided,
        "org.roaringbitmap" % "RoaringBitmap" % line.files.roaringBitmap % Provided,
        "com.fasterxml.jackson.core" % "jackson-databind" % line.files.jackson % Provided,
      ),
    )

  def spark(line: SparkLine): Project =
    module("spark", line.suffix).settings(
      sourcesIn("spark", line.folders),
      name := s"ducklake-connector${line.suffix}",
      Metadata.versionInCode,
      libraryDependencies += "org.apache.spark" %% "spark-sql" % line.served.head % Provided,
    )

  def bundle(line: SparkLine): Project =
    module("bundle", line.suffix)
}
