/** Rules about the folders beside `src/main/scala`, which hold what differs between versions of Spark. */
object LineFolders {

  /** The rooms of a module that may differ: packages with those below them, or a package alone. */
  private val within = Map(
    "spark" -> Seq(
      "ducklake.spark.sparkapi",
      "ducklake.spark.parquet",
      "ducklake.spark.extension",
      "ducklake.spark.table",
      "org.apache.spark.sql.execution.ducklake",
    ),
    "files" -> Seq("ducklake.files.parquet", "ducklake.files.store", "ducklake.files.copy"),
  )

  private val alone = Map("spark" -> "ducklake.spark")

  private val folders = Map(
    "spark" -> SparkLines.all.flatMap(_.folders).toSet,
    "files" -> SparkLines.all.map(_.files.folder).toSet,
  )

  /** Files that name the version of the Spark that runs, each with the reason. */
  private val naming = Map(
    "ServedSpark.scala" -> "refuses a Spark that the jar does not serve",
    "IdWriteSupport.scala" -> "writes it into the metadata of files, as Spark does",
    "LiteralWriteSupport.scala" -> "writes it into the metadata of files, as Spark does",
  )

  private val version =
    """\bSPARK_VERSION(_SHORT)?\b|\bSparkBuildInfo\b|\b(?i:spark|session)\.version\b""".r

  /** What is wrong with a source of a module, in the sense of these rules. */
  def refusals(path: String, packageName: String, code: Seq[String]): Seq[String] = path match {
    case inModule(module, folder) =>
      place(module, folder, packageName).map(why => s"$path: $why").toSeq ++ versions(path, code)
    case _ => Nil
  }

  private val inModule = """jvm/(\w+)/src/main/([^/]+)/.*""".r

  private def place(module: String, folder: String, packageName: String): Option[String] =
    if (folder == "scala") None
    else if (!folders.getOrElse(module, Set.empty).contains(folder))
      Some(s"no line of Spark has the folder $folder of $module")
    else if (mayDiffer(module, packageName)) None
    else Some(s"$packageName may not differ between versions of Spark")

  private def mayDiffer(module: String, packageName: String): Boolean =
    alone.get(module).contains(packageName) ||
      within(module).exists(room => packageName == room || packageName.startsWith(room + "."))

  private def versions(path: String, code: Seq[String]): Seq[String] =
    if (naming.contains(path.split('/').last)) Nil
    else
      code.zipWithIndex.collect {
        case (line, index) if version.findFirstIn(line).isDefined =>
          s"$path:${index + 1}: nothing asks for the version of Spark; folders hold what differs"
      }
}
