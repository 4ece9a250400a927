package ducklake.files.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.io.FileFailure
import ducklake.files.io.Storage
import ducklake.files.path.PathResolver
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.GlobPattern
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RemoteIterator

import java.util.Locale

/** Finds the Parquet files that a file name, a folder or a pattern stands for. */
final class FileSearch(conf: Configuration) {

  /** The files in DuckDB's spelling, ordered. A folder stands for all files below it whose names
    * end in `.parquet`; hidden files (`_…`, `.…`) are left out. A pattern has Hadoop's syntax, and
    * `**` as a folder stands for folders of any depth; at the end, for all files below.
    *
    * @param table for messages
    *
    * Errors: CannotAddFile when no file is found, and for an empty text or two `**`.
    */
  def files(pattern: String, table: String): Vector[String] = {
    if (pattern.isEmpty) refuse(table, pattern, "is empty")
    if (pattern.split("/", -1).count(_ == "**") > 1) refuse(table, pattern, "has `**` twice")
    val found = FileFailure.naming(pattern, table) {
      val target = new Path(PathResolver.hadoopPath(pattern))
      val system = Storage.plain(target, conf)
      exact(system, target).getOrElse(matching(system, target))
    }
    if (found.isEmpty) refuse(table, pattern, "matches no file")
    val start = FileSearch.start(pattern)
    found.map(path => start + path.toUri.getPath).sorted
  }

  private def refuse(table: String, pattern: String, why: String): Nothing =
    throw new LakeException(LakeError.CannotAddFile(table, pattern, why, "Correct the path."))

  /** The file or folder with exactly this name; None when it does not exist. */
  private def exact(system: FileSystem, target: Path): Option[Vector[Path]] =
    Option.when(system.exists(target))(system.getFileStatus(target)).map(below(system, _))

  private def matching(system: FileSystem, target: Path): Vector[Path] = {
    target.toString.split("/\\*\\*(/|$)", 2) match {
      case Array(above, end) =>
        val names = if (end.isEmpty) Vector("*") else end.split('/').toVector
        val patterns = names.map(new GlobPattern(_))
        for {
          folder <- globbed(system, new Path(above + "/"))
          file <- tree(system, folder)
          if file.depth - folder.getPath.depth >= patterns.length && endsIn(file, patterns)
        } yield file
      case _ => globbed(system, target).flatMap(below(system, _))
    }
  }

  private def globbed(system: FileSystem, pattern: Path): Vector[FileStatus] =
    Option(system.globStatus(pattern)).toVector.flatten

  /** Whether the last names of the path match the patterns. */
  private def endsIn(path: Path, patterns: Vector[GlobPattern]): Boolean = {
    val names = path.toUri.getPath.split('/').takeRight(patterns.length)
    patterns.zip(names).forall { case (pattern, name) => pattern.matches(name) }
  }

  /** The file itself, or the Parquet files below the folder. */
  private def below(system: FileSystem, status: FileStatus): Vector[Path] =
    if (status.isFile) Vector(status.getPath)
    else tree(system, status).filter(_.getName.endsWith(".parquet"))

  /** All files below the folder, except hidden files and files in hidden folders. */
  private def tree(system: FileSystem, folder: FileStatus): Vector[Path] =
    if (system.getUri.getScheme == "s3a") listed(system, folder.getPath)
    else walked(system, folder.getPath)

  /** Lists everything below the folder with one listing; S3 returns a thousand files at a time, in
    * however many folders they are.
    */
  private def listed(system: FileSystem, folder: Path): Vector[Path] =
    all(system.listFiles(folder, true))
      .map(_.getPath)
      .filterNot(namesBelow(folder, _).exists(isHidden))
      .toVector

  /** Lists each folder that is not hidden. Hidden folders belong to others: their files may vanish
    * or be inaccessible.
    */
  private def walked(system: FileSystem, folder: Path): Vector[Path] =
    all(system.listStatusIterator(folder))
      .filterNot(entry => isHidden(entry.getPath.getName))
      .flatMap { entry =>
        if (entry.isDirectory) walked(system, entry.getPath) else Vector(entry.getPath)
      }
      .toVector

  private def all[A](remote: RemoteIterator[A]): Iterator[A] =
    Iterator.continually(remote).takeWhile(_.hasNext).map(_.next())

  private def namesBelow(folder: Path, file: Path): Array[String] =
    file.toUri.getPath.split('/').takeRight(file.depth - folder.depth)

  private def isHidden(name: String): Boolean =
    name.startsWith(".") || (name.startsWith("_") && !name.contains("="))
}

private object FileSearch {

  /** The part before the path within the store, in DuckDB's spelling: empty for local files, else
    * the scheme and the bucket, or the account and the container of Azure.
    */
  def start(pattern: String): String =
    pattern match {
      case Address(scheme, _) if scheme.equalsIgnoreCase("file") => ""
      case Address(scheme, rest) =>
        val name = scheme.toLowerCase(Locale.ROOT)
        val folders = rest.split("/", 3)
        val namesContainer = folders(0).contains('@')
        if (isAzure(name) && folders.length > 1 && folders(0).contains('.') && !namesContainer)
          s"$name://${folders(0)}/${folders(1)}"
        else s"${duckDb.getOrElse(name, name)}://${folders(0)}"
      case _ => ""
    }

  private val Address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r

  private val duckDb = Map("s3a" -> "s3", "s3n" -> "s3")

  private def isAzure(scheme: String): Boolean = Set("az", "azure", "abfss", "abfs")(scheme)
}
