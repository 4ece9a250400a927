package ducklake.catalog.model

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** The key of an encrypted file. `toString` hides the key, so that it never appears in plans, logs
  * or errors.
  *
  * @param base64 the key as the catalog stores it
  *
  * Source: spec 1.0, ducklake_data_file, encryption_key.
  */
final case class FileKey(base64: String) {
  override def toString: String = "FileKey(hidden)"
}

/** Whether a file is encrypted. */
sealed trait FileEncryption {

  /** The key of the file; None for a file that is not encrypted.
    *
    * Errors: EncryptedLake when the catalog has no key for a file of an encrypted lake.
    */
  def keyOf(path: String, table: String): Option[FileKey] = this match {
    case FileEncryption.Absent => None
    case FileEncryption.Under(key) => Some(key)
    case FileEncryption.KeyMissing => throw new LakeException(FileEncryption.missing(path, table))
  }

  /** The key that the catalog has. */
  def known: Option[FileKey] = this match {
    case FileEncryption.Under(key) => Some(key)
    case FileEncryption.Absent | FileEncryption.KeyMissing => None
  }
}

object FileEncryption {

  /** Files of lakes without encryption, and deletion vectors of all lakes. */
  case object Absent extends FileEncryption

  final case class Under(key: FileKey) extends FileEncryption

  /** The lake is encrypted, and the catalog has no key for the file. */
  case object KeyMissing extends FileEncryption

  /** Lakes without encryption ignore keys, as in DuckDB. */
  def of(isLakeEncrypted: Boolean, stored: Option[String]): FileEncryption =
    if (!isLakeEncrypted) Absent
    else stored.filter(_.nonEmpty).fold[FileEncryption](KeyMissing)(key => Under(FileKey(key)))

  private def missing(path: String, table: String): LakeError =
    LakeError.EncryptedLake(
      s"Cannot read the file $path of $table",
      "the lake is encrypted, and the catalog has no key for the file",
      "Restore the row of the file in the catalog database from a backup",
    )
}
