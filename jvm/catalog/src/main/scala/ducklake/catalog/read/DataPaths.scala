package ducklake.catalog.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakePath

/** Decides which data path is in use: the stored path or the path of the settings.
  *
  * @param wanted the path in the settings
  * @param overrides whether the path in the settings is used instead of the stored path; otherwise
  *   the two must agree
  */
final class DataPaths(wanted: Option[String], overrides: Boolean) {

  /** The data path in use, ending in a separator. A relative path is not made absolute, as in
    * DuckDB: it is relative to the working directory of the process. Errors: InvalidSetting, when
    * the paths differ.
    */
  def inForce(stored: String): String = wanted match {
    case Some(path) if overrides => LakePath.folder(LocalPath.plain(path))
    case Some(path) if comparable(path) != comparable(stored) => throw differ(path, stored)
    case _ => LakePath.folder(LocalPath.plain(stored))
  }

  private def comparable(path: String): String = LakePath.folder(PathSpelling.of(path))

  private def differ(path: String, stored: String): LakeException =
    new LakeException(
      LakeError.InvalidSetting(
        "data-path",
        s"is `$path`, but the lake stores its files in `$stored`",
        "Leave the setting out, or set `override-data-path` to read from the given path.",
      )
    )
}
