package ducklake.spark.moving.out

import ducklake.catalog.path.LocalPath
import ducklake.spark.moving.SourceFile

/** The folder of an export. By it a later call finds the names of snapshots that the calls before
  * have given, so each folder has one spelling.
  */
object ExportFolder {

  /** The folder in DuckDB's spelling, with a separator at its end: absolute, without empty parts, `.`
    * and `..`, which Hadoop takes out of paths, too.
    *
    * @param text as the caller wrote it, not blank
    */
  def of(text: String): String =
    SourceFile.stored(LocalPath.absolute(text)) match {
      case address(scheme, place, below) => s"$scheme://$place/${plain(below)}"
      case local => s"/${plain(local)}"
    }

  private def plain(path: String): String =
    path
      .split('/')
      .foldLeft(Vector.empty[String]) {
        case (above, "" | ".") => above
        case (above, "..") => above.dropRight(1)
        case (above, part) => above :+ part
      }
      .map(part => s"$part/")
      .mkString

  private val address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)(.*)".r
}
