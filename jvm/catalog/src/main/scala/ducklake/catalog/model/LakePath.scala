package ducklake.catalog.model

/** A path as stored: alone, or behind the path of what holds it.
  *
  * Source: format 5.1.
  */
final case class LakePath(text: String, isRelative: Boolean) {

  /** The path of a folder: ends in a separator. An empty relative path is the holder itself. */
  def folderIn(holder: String): String = LakePath.folder(fileIn(holder))

  /** The path of a file in the folder `holder`, which ends in a separator. */
  def fileIn(holder: String): String = if (isRelative) holder + text else text
}

object LakePath {

  /** What NULL means: the holder itself. */
  val here: LakePath = LakePath("", isRelative = true)

  /** The same folder, ending in a separator. */
  def folder(path: String): String = if (path.endsWith("/")) path else path + "/"
}
