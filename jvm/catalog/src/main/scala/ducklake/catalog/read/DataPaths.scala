package ducklake.catalog.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakePath

import java.nio.file.Path

/** Which data path holds: the stored one, or the one that the settings put in its place.
  *
  * @param wanted the path of the settings
  * @param overrides whether it is used in place of the stored one; else the two must agree
  */
final class DataPaths(wanted: Option[String], overrides: Boolean) {

  /** Ends in a separator. A relative path stays one, as DuckDB shows it: it is relative to the
    * working directory of the process. Errors: InvalidSetting, when the paths differ.
    */
  def inForce(stored: String): String = wanted match {
    case Some(path) if overrides => LakePath.folder(path)
    case Some(path) if comparable(path) != comparable(stored) => throw differ(path, stored)
    case _ => LakePath.folder(stored)
  }

  private def comparable(path: String): String =
    if (path.contains("://")) LakePath.folder(path)
    else LakePath.folder(Path.of(path).toAbsolutePath.normalize.toString)

  private def differ(path: String, stored: String): LakeException =
    new LakeException(
      LakeError.InvalidSetting(
        "data-path",
        s"is `$path`, but the lake stores its files in `$stored`",
        "Leave the setting out, or set `override-data-path` to read from the given path.",
      )
    )
}
