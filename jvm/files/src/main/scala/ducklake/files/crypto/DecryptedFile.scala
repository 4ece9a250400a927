package ducklake.files.crypto

import org.apache.parquet.io.SeekableInputStream

import java.io.EOFException

/** Opens Parquet files of lakes, so that readers see them without encryption (decision 17). */
object DecryptedFile {

  /** How much of the end of a file is read at once. Most footers are smaller. */
  private val EndBytes = 64 * 1024

  /** The file, as readers see it. Readers close it, and `raw` with it.
    *
    * @param raw the open file
    * @param fileBytes the size in the catalog; a file of another size has no end there
    * @param encrypted the catalog's facts about an encrypted file; None for an unencrypted file
    *
    * Errors: EncryptionFailure, and errors of the storage; `raw` is closed then.
    */
  def of(
      raw: SeekableInputStream,
      fileBytes: Long,
      encrypted: Option[EncryptedFile],
  ): SeekableInputStream =
    encrypted match {
      case None => raw
      case Some(known) =>
        try decrypted(raw, fileBytes, known, SecretKey.of(known.key))
        catch {
          case failure: Throwable =>
            raw.close()
            throw failure
        }
    }

  private def decrypted(
      raw: SeekableInputStream,
      fileBytes: Long,
      known: EncryptedFile,
      key: SecretKey,
  ): SeekableInputStream = {
    val bytes = footerBytes(raw, fileBytes)
    val footer = EncryptedFooter.of(bytes, fileBytes - ParquetTail.Bytes - bytes.length, key)
    if (footer.rows != known.rows)
      throw new EncryptionFailure.Damaged(
        s"it has ${footer.rows} rows, and the catalog says ${known.rows}"
      )
    new DecryptedStream(raw, footer, fileBytes)
  }

  private def footerBytes(raw: SeekableInputStream, fileBytes: Long): Array[Byte] = {
    if (fileBytes < ParquetTail.Bytes)
      throw new EncryptionFailure.Damaged(s"it has only $fileBytes bytes")
    val end = read(raw, fileBytes, math.min(fileBytes, EndBytes.toLong).toInt)
    val size = EncryptedFooter.size(end, fileBytes)
    val whole = size + ParquetTail.Bytes
    val tail = if (whole <= end.length) end else read(raw, fileBytes, whole)
    tail.slice(tail.length - whole, tail.length - ParquetTail.Bytes)
  }

  /** The last bytes of the file. */
  private def read(raw: SeekableInputStream, fileBytes: Long, count: Int): Array[Byte] = {
    val bytes = new Array[Byte](count)
    try {
      raw.seek(fileBytes - count)
      raw.readFully(bytes)
    } catch {
      case _: EOFException =>
        throw new EncryptionFailure.Damaged(s"it has less than the $fileBytes bytes of the catalog")
    }
    bytes
  }
}
