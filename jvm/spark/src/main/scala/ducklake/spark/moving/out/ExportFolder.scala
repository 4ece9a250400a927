package ducklake.spark.moving.out

import ducklake.catalog.model.LakePath
import ducklake.catalog.path.LocalPath
import ducklake.catalog.path.PathSpelling
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
    LakePath.folder(SourceFile.stored(LocalPath.absolute(text)) match {
      case address(scheme, place, below) => s"$scheme://$place${PathSpelling.plain(below)}"
      case local => PathSpelling.plain(local)
    })

  private val address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)(.*)".r
}
