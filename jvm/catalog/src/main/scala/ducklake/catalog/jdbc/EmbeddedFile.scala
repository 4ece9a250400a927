package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path

/** The file of an embedded database. */
private[catalog] object EmbeddedFile {

  /** Whether the file exists. Errors: NotADatabase for a folder, because the drivers' messages for
    * a folder do not name the cause.
    */
  def exists(path: String, kind: String): Boolean = {
    val file = Path.of(path)
    if (Files.isDirectory(file))
      throw new LakeException(
        LakeError
          .NotADatabase(s"${kind.toLowerCase(java.util.Locale.ROOT)}:$path", kind, "it is a folder")
      )
    Files.exists(file)
  }

  /** The path without symbolic links. If the file does not exist, its name in the folder without
    * symbolic links, if the folder exists.
    */
  def real(path: String): Path = {
    val file = Path.of(path).toAbsolutePath.normalize
    def folder = Option(file.getParent).flatMap(followed)
    followed(file).orElse(folder.map(_.resolve(file.getFileName))).getOrElse(file)
  }

  private def followed(path: Path): Option[Path] =
    try Some(path.toRealPath())
    catch { case _: IOException => None }

  /** Checks that the folder of a new database file exists. Errors: InvalidUri when the folder is
    * missing, which the drivers report like a fault of the database.
    */
  def checkFolder(path: String, kind: String): Unit =
    Option(Path.of(path).toAbsolutePath.getParent).filterNot(Files.isDirectory(_)).foreach {
      folder =>
        throw new LakeException(
          LakeError.InvalidUri(
            s"${kind.toLowerCase(java.util.Locale.ROOT)}:$path",
            s"names the folder $folder, which is not there",
            "Nothing was changed. Make the folder, or correct the address.",
          )
        )
    }
}
