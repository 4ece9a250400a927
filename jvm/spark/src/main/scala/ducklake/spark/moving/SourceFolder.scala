package ducklake.spark.moving

import ducklake.files.path.PathResolver

/** The folder of a source.
  *
  * @param path as it was given, without a separator at its end
  */
private[moving] final case class SourceFolder(path: String) {

  /** As Hadoop opens it. */
  val opened: String = PathResolver.hadoopPath(path)

  /** The path of a file, as Hadoop opens it, in the spelling of the folder. Files elsewhere keep
    * their paths.
    */
  def spelled(file: String): String =
    if (file.startsWith(s"$opened/")) path + file.drop(opened.length) else file
}

private[moving] object SourceFolder {
  def of(source: String): SourceFolder = SourceFolder(source.stripSuffix("/"))
}
