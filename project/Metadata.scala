import sbt.*
import sbt.Keys.*

/** What indexes of packages show. It stands once, in the files of the Python package. */
object Metadata {

  /** @param id the name in the list of SPDX */
  final case class Licence(id: String) {
    def url: URL = sbt.url(s"https://spdx.org/licenses/$id.html")
  }

  /** Licences by the first line of their text. */
  private val licences = Map(
    "Apache License" -> Licence("Apache-2.0"),
    "MIT License" -> Licence("MIT"),
    "BSD 3-Clause License" -> Licence("BSD-3-Clause"),
    "Mozilla Public License Version 2.0" -> Licence("MPL-2.0"),
  )

  def version(top: File): String =
    line(top / "python" / "src" / "ducklake_spark" / "_version.py", "__version__")
      .getOrElse(sys.error("_version.py has no version"))

  /** What the connector is; the Python package has more, told behind a colon. */
  def description(top: File): String =
    line(project(top), "description")
      .map(_.takeWhile(_ != ':'))
      .getOrElse(sys.error("pyproject.toml has no description"))

  /** Where the source code is; none as long as `pyproject.toml` has no such address. */
  def repository(top: File): Option[URL] = line(project(top), "Source").map(sbt.url)

  def licenceFile(top: File): File = top / "LICENSE"

  /** The licence that the file LICENSE holds; none as long as there is no such file. */
  def licence(top: File): Option[Licence] = Some(licenceFile(top)).filter(_.exists).map { file =>
    val title = IO.readLines(file).map(_.trim).find(_.nonEmpty).getOrElse("")
    licences.getOrElse(
      title,
      sys.error(s"`$title` in ${file.getName} is none of ${licences.keys.mkString(", ")}"),
    )
  }

  /** What an index asks for, and only the owner can give. */
  def missing(top: File): Seq[String] =
    (if (licence(top).isEmpty) Seq("there is no licence yet: put its text into the file LICENSE")
     else Nil) ++
      (if (repository(top).isEmpty)
         Seq("there is no address of the source code yet: Source in python/pyproject.toml")
       else Nil)

  /** The version, and the versions of Spark, as values of the connector. */
  def inCode(line: SparkLine): Setting[?] = Compile / sourceGenerators += Def.task {
    val file = (Compile / sourceManaged).value / "BuildVersion.scala"
    val artifacts = SparkLines.all.reverse.flatMap(each => each.serves.map(_ -> each.jar))
    val text = s"""package ducklake.spark.metadata
      |
      |/** This connector's own version, and the versions of Spark that it is for. */
      |object BuildVersion {
      |  val text: String = "${Keys.version.value}"
      |
      |  /** The artifact with which tables of Iceberg are read. */
      |  val iceberg: String = "org.apache.iceberg:iceberg-core:${Versions.iceberg}"
      |
      |  /** Those with which their rows are read, too. */
      |  val icebergReader: String =
      |    "${Seq("core", "data", "parquet")
        .map(part => s"org.apache.iceberg:iceberg-$part:${Versions.iceberg}")
        .mkString(",")}"
      |
      |  /** The artifact with which tables of Delta are read. */
      |  val delta: String = "io.delta:delta-kernel-defaults:${Versions.delta}"
      |
      |  /** The versions of Spark that this jar serves. */
      |  val sparks: Vector[String] = Vector(${line.serves.map(quoted).mkString(", ")})
      |
      |  /** Each version of Spark that is served, the oldest first, with its artifact. */
      |  val artifacts: Vector[(String, String)] = Vector(
      |${artifacts.map { case (spark, jar) =>
        s"    ${quoted(spark)} -> ${quoted(jar)},\n"
      }.mkString}  )
      |}
      |""".stripMargin
    if (!file.exists || IO.read(file) != text) IO.write(file, text)
    Seq(file)
  }

  private def quoted(text: String): String = "\"" + text + "\""

  private def project(top: File): File = top / "python" / "pyproject.toml"

  /** The text behind `key = ` in a file of Python or TOML. */
  private def line(file: File, key: String): Option[String] =
    IO.readLines(file).collectFirst {
      case text if text.startsWith(s"$key = ") =>
        text.stripPrefix(s"$key = ").trim.stripPrefix("\"").stripSuffix("\"")
    }
}
