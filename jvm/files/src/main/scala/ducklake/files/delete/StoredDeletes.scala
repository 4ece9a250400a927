package ducklake.files.delete

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileKey
import ducklake.files.crypto.EncryptedFile
import ducklake.files.path.PathResolver

/** A delete file to read.
  *
  * @param path in Hadoop's form
  * @param rows of the delete file, of all snapshots
  * @param dataRows of its data file, deleted ones included
  * @param key of an encrypted file
  */
final case class StoredDeletes(
    path: String,
    format: DeleteFormat,
    sizeBytes: Long,
    rows: Long,
    dataRows: Long,
    key: Option[FileKey] = None,
) {
  private[files] def encrypted: Option[EncryptedFile] = key.map(EncryptedFile(_, rows))
}

object StoredDeletes {

  /** The delete files of a data file. Errors: like [[of]]. */
  def ofAll(file: DataFile, table: String): Vector[StoredDeletes] =
    file.deleteFiles.map(of(_, file.recordCount, table))

  /** @param dataRows of the data file, deleted ones included
    * @param table for messages
    *
    * Errors: EncryptedLake when the catalog has no key for an encrypted file; UnsupportedPath.
    */
  def of(file: DeleteFile, dataRows: Long, table: String): StoredDeletes =
    StoredDeletes(
      PathResolver.hadoopPath(file.path),
      file.format,
      file.sizeBytes,
      file.deleteCount,
      dataRows,
      file.encryption.keyOf(file.path, table),
    )
}
