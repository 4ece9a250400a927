import sbt.*
import sbt.Keys.*

/** A line of Spark: the versions that one jar serves.
  *
  * @param name the minor version that the jar is named by
  * @param published releases on Maven Central, the oldest first: the jar is compiled against that one
  * @param inWheels further releases, whose jars come from the wheel of PySpark
  * @param files what the module `files` is compiled against
  * @param store what its tests open `s3a://` with
  * @param folders the folders of `jvm/spark/src/main` that the line has beside the common one
  */
final case class SparkLine(
    name: String,
    published: Seq[String],
    inWheels: Seq[String],
    files: FilesLine,
    store: StoreLine,
    folders: Seq[String],
) {

  /** Behind the names of modules; none for the newest line. */
  def suffix: String = if (this == SparkLines.spark42) "" else name.replace(".", "")

  /** The minor versions of Spark that the jar is for, the oldest first. */
  def serves: Seq[String] = (published ++ inWheels).map(minorOf).distinct

  /** The name of the artifact without the version of Scala. */
  def artifact: String = s"ducklake-spark-$name"

  /** The name of the artifact and of its jar, without their version. */
  def jar: String = s"${artifact}_${CrossVersion.binaryScalaVersion(Versions.scala)}"

  private def minorOf(release: String): String = release.split('.').take(2).mkString(".")
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

/** Hadoop's S3A, of the version of Hadoop in Spark, and the S3 client that it is made for.
  *
  * @param accelerator a library of Amazon's that newer versions need
  */
final case class StoreLine(hadoop: String, awsSdk: String, accelerator: Option[String])

/** The lines of Spark, and the modules of each. Everything that differs between lines stands in
  * folders named by the range of versions that has it.
  */
object SparkLines {

  private val parquet117 =
    FilesLine("4.2.0", "1.17.0", "3.4.3", "1.6.9", "2.21.2", "since-parquet-1.16")

  val spark42: SparkLine = SparkLine(
    "4.2",
    published = Seq("4.2.0"),
    inWheels = Seq("4.2.1", "4.3.0"),
    parquet117,
    StoreLine("3.5.0", "2.35.4", Some("1.3.1")),
    Seq("since-4.2", "since-4.1"),
  )

  val spark41: SparkLine = SparkLine(
    "4.1",
    published = Seq("4.1.0", "4.1.1", "4.1.2", "4.1.3"),
    inWheels = Seq("4.1.4"),
    parquet117,
    StoreLine("3.4.2", "2.29.52", Some("1.2.1")),
    Seq("before-4.2", "since-4.1", "only-4.1"),
  )

  private val parquet115 =
    FilesLine("4.0.0", "1.15.1", "3.4.1", "1.3.0", "2.18.2", "before-parquet-1.16")

  val spark40: SparkLine = SparkLine(
    "4.0",
    published = Seq("4.0.0", "4.0.1", "4.0.2", "4.0.4"),
    inWheels = Seq("4.0.3", "4.0.5"), // on Maven Central 4.0.3 lacks modules that spark-sql needs
    parquet115,
    StoreLine("3.4.1", "2.24.8", None), // of 2.24.6, which Hadoop names, a module is missing there
    Seq("before-4.2", "before-4.1"),
  )

  val all: Seq[SparkLine] = Seq(spark42, spark41, spark40)

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
      Metadata.inCode(line),
      libraryDependencies += "org.apache.spark" %% "spark-sql" % line.published.head % Provided,
      libraryDependencies ++= MovingJars.libraries.map(_ % Provided),
    )

  def bundle(line: SparkLine): Project =
    module("bundle", line.suffix)

  /** The bundles of all lines. */
  val bundles: Seq[ProjectReference] = all.map(line => LocalProject(s"bundle${line.suffix}"))

  /** Tests are compiled and run with the newest line; `tests` has those of every line. */
  val withoutTests: Setting[?] = Test / unmanagedSourceDirectories := Nil
}
