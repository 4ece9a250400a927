package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

import java.nio.file.Files
import java.nio.file.Path

/** The file of an embedded database. */
private[jdbc] object DatabaseFile {

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
}
