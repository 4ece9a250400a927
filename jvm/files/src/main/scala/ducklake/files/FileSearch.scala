package ducklake.files

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.GlobPattern
import org.apache.hadoop.fs.Path

import java.util.Locale

/** Finds the Parquet files that a file name, a folder or a pattern stands for. */
final class FileSearch(paths: PathResolver, conf: Configuration) {

  /** The files in DuckDB's spelling, ordered. A folder stands for all files below it whose names
    * end in `.parquet`; hidden files (`_…`, `.…`) are left out. A pattern is one of Hadoop's, and
    * `**` as a folder stands for folders of any depth.
    *
    * @param table for messages
    *
    * Errors: CannotAddFile when there is no such file.
    */
  def files(pattern: String, table: String): Vector[String] = {
    val found = FileFailure.naming(pattern, table) {
      val target = new Path(paths.hadoopPath(pattern))
      val system = Storage.plain(target, conf)
      exact(system, target).getOrElse(matching(system, target))
    }
    if (found.isEmpty)
      throw new LakeException(
        LakeError.CannotAddFile(table, pattern, "matches no file", "Correct the path.")
      )
    val start = FileSearch.start(pattern)
    found.map(path => start + path.toUri.getPath).sorted
  }

  /** The file or folder with exactly this name; None when there is none. */
  private def exact(system: FileSystem, target: Path): Option[Vector[Path]] =
    Option.when(system.exists(target))(system.getFileStatus(target)).map(below(system, _))

  private def matching(system: FileSystem, target: Path): Vector[Path] = {
    val text = target.toString
    text.indexOf("/**/") match {
      case -1 =>
        Option(system.globStatus(target)).toVector.flatten.flatMap(below(system, _))
      case at =>
        val names = new GlobPattern(target.getName)
        val folders = Option(system.globStatus(new Path(text.substring(0, at)))).toVector.flatten
        folders.flatMap(tree(system, _)).filter(file => names.matches(file.getName))
    }
  }

  /** The file itself, or the Parquet files below the folder. */
  private def below(system: FileSystem, status: FileStatus): Vector[Path] =
    if (status.isFile) Vector(status.getPath)
    else tree(system, status).filter(_.getName.endsWith(".parquet"))

  private def tree(system: FileSystem, folder: FileStatus): Vector[Path] =
    system.listStatus(folder.getPath).toVector.flatMap { child =>
      if (isHidden(child.getPath.getName)) Vector.empty
      else if (child.isFile) Vector(child.getPath)
      else tree(system, child)
    }

  private def isHidden(name: String): Boolean =
    name.startsWith(".") || (name.startsWith("_") && !name.contains("="))
}

private object FileSearch {

  /** What stands in front of the path within the store, in DuckDB's spelling: nothing for local
    * files, else the scheme and the bucket, or the account and the container of Azure.
    */
  def start(pattern: String): String =
    pattern match {
      case Address(scheme, _) if scheme.equalsIgnoreCase("file") => ""
      case Address(scheme, rest) =>
        val name = scheme.toLowerCase(Locale.ROOT)
        val folders = rest.split("/", 3)
        if (isAzure(name) && folders.length > 1 && folders(0).contains('.'))
          s"$name://${folders(0)}/${folders(1)}"
        else s"${duckDb.getOrElse(name, name)}://${folders(0)}"
      case _ => ""
    }

  private val Address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r

  private val duckDb = Map("s3a" -> "s3", "s3n" -> "s3")

  private def isAzure(scheme: String): Boolean = Set("az", "azure", "abfss", "abfs")(scheme)
}
