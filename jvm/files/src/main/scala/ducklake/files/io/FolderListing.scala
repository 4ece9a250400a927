package ducklake.files.io

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.Path

import java.io.FileNotFoundException

/** The direct content of a folder.
  *
  * @param folders the names of folders
  */
final case class FolderListing(files: Vector[ListedFile], folders: Vector[String])

/** @param modified milliseconds since 1970 */
final case class ListedFile(name: String, modified: Long)

object FolderListing {

  /** Lists a folder. A folder that does not exist is empty. Errors: the errors of the file system.
    *
    * @param folder in Hadoop's form
    * @param isWanted whether a file of this name is listed; other files are left out
    */
  def of(folder: String, conf: Configuration)(isWanted: String => Boolean): FolderListing = {
    val path = new Path(folder)
    val system = Storage.plain(path, conf)
    val files = Vector.newBuilder[ListedFile]
    val folders = Vector.newBuilder[String]
    def take(entry: FileStatus): Unit = {
      val name = entry.getPath.getName
      if (entry.isDirectory) folders += name: Unit
      else if (isWanted(name)) files += ListedFile(name, entry.getModificationTime): Unit
    }
    try {
      val entries = system.listStatusIterator(path)
      while (entries.hasNext) take(entries.next())
    } catch { case _: FileNotFoundException => () }
    FolderListing(files.result(), folders.result())
  }
}
