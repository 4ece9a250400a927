package ducklake.catalog.model

/** A path as it is stored: absolute, or relative to the path of the object that holds it.
  *
  * Source: format 5.1.
  */
final case class LakePath(text: String, isRelative: Boolean) {

  /** The path of a folder, ending in a separator. An empty relative path is the folder of the
    * holder itself.
    */
  def folderIn(holder: String): String = LakePath.folder(fileIn(holder))

  /** The path of a file in the folder `holder`, which ends in a separator. */
  def fileIn(holder: String): String = if (isRelative) holder + text else text
}

object LakePath {

  /** A NULL path in the catalog: the folder of the parent (lake, schema or table). */
  val here: LakePath = LakePath("", isRelative = true)

  /** A path that is relative to the folder if it lies below it. The folder ends in a separator. */
  def below(folder: String, path: String): LakePath =
    if (path.startsWith(folder)) LakePath(path.stripPrefix(folder), isRelative = true)
    else LakePath(path, isRelative = false)

  /** The same folder, ending in a separator. */
  def folder(path: String): String = if (path.endsWith("/")) path else path + "/"
}
