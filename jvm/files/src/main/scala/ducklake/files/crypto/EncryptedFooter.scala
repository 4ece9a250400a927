package ducklake.files.crypto

import org.apache.parquet.format.AesGcmV1
import org.apache.parquet.format.ColumnChunk
import org.apache.parquet.format.FileCryptoMetaData
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.RowGroup
import org.apache.parquet.format.Util

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.control.NonFatal

/** The decrypted footer of a file.
  *
  * @param modules opens the other modules of the file
  * @param chunks by their position in the file
  * @param end the last bytes of the same file without encryption: its footer, the footer's size and
  *   the letters of a plain Parquet file
  */
private[crypto] final case class EncryptedFooter(
    rows: Long,
    modules: Modules,
    chunks: Vector[EncryptedChunk],
    end: Array[Byte],
)

/** The pages of a column in a row group, from `start` until `end`. Each page is two modules: header
  * and data.
  */
private[crypto] final case class EncryptedChunk(start: Long, end: Long, group: Int)

/** Source: Parquet format, Encryption, 5.1 and 5.3. */
private[crypto] object EncryptedFooter {

  /** The size of the footer, by the last bytes of a file.
    *
    * Errors: EncryptionFailure for a file that is not encrypted, or that was cut.
    */
  def size(tail: Array[Byte], fileBytes: Long): Int = {
    val at = tail.length - ParquetTail.Bytes
    val size = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt(at)
    new String(
      tail,
      tail.length - ParquetTail.LettersBytes,
      ParquetTail.LettersBytes,
      US_ASCII,
    ) match {
      case ParquetTail.EncryptedLetters if size > 0 && size <= fileBytes - ParquetTail.Bytes => size
      case ParquetTail.EncryptedLetters =>
        throw new EncryptionFailure.Damaged(s"its footer has $size bytes, the file $fileBytes")
      case ParquetTail.PlainLetters =>
        throw new EncryptionFailure.Unsupported("it is not encrypted, and its lake is")
      case _ =>
        throw new EncryptionFailure.Damaged(
          "it is no encrypted Parquet file, or its end is missing"
        )
    }
  }

  /** @param footer the bytes of the footer, without the eight bytes that follow it
    * @param position of these bytes in the file
    *
    * Errors: EncryptionFailure.
    */
  def of(footer: Array[Byte], position: Long, key: SecretKey): EncryptedFooter = {
    val at = moduleAt(footer)
    val left = footer.length - at
    val place = ModulePlace(position + at, "its footer")
    if (left < Modules.Overhead) throw EncryptionFailure.changed(place.name)
    Modules.checked(Modules.sizeAt(footer, at), left.toLong, place.name): Unit
    val plain = new Modules(key.spec, Nonces.Drawn).opened(footer, at, place)
    val data = Util.readFileMetaData(new ByteArrayInputStream(plain))
    val nonces = Nonces.in(data)
    if (!nonces.fits(footer, at + Modules.LengthBytes, place.position))
      throw EncryptionFailure.changed(place.name)
    val modules = new Modules(key.spec, nonces)
    EncryptedFooter(data.getNum_rows, modules, chunksOf(data), viewOf(data, footer.length))
  }

  /** The position of the footer's module, after the description of the encryption. */
  private def moduleAt(footer: Array[Byte]): Int = {
    val in = new ByteArrayInputStream(footer)
    check(cryptoOf(in))
    footer.length - in.available
  }

  private def cryptoOf(in: ByteArrayInputStream): FileCryptoMetaData =
    try Util.readFileCryptoMetaData(in)
    catch {
      case NonFatal(_) => throw new EncryptionFailure.Damaged("its description of keys is damaged")
    }

  private def check(crypto: FileCryptoMetaData): Unit = {
    val algorithm = crypto.getEncryption_algorithm
    if (!algorithm.isSetAES_GCM_V1)
      throw new EncryptionFailure.Unsupported("its algorithm is not AES_GCM_V1")
    if (algorithm.getAES_GCM_V1 != new AesGcmV1)
      throw new EncryptionFailure.Unsupported("its tags sign places (AAD), as in no file of a lake")
  }

  private def chunksOf(data: FileMetaData): Vector[EncryptedChunk] =
    data.getRow_groups.asScala.toVector.zipWithIndex.flatMap { case (group, number) =>
      chunksOf(group, number)
    }

  private def chunksOf(group: RowGroup, number: Int): Vector[EncryptedChunk] =
    group.getColumns.asScala.toVector.map { chunk =>
      refuseOtherKeys(chunk)
      val start = ParquetTail.firstPage(chunk.getMeta_data)
      EncryptedChunk(start, start + chunk.getMeta_data.getTotal_compressed_size, number)
    }

  /** All columns of a lake's file use one key. */
  private def refuseOtherKeys(chunk: ColumnChunk): Unit = {
    val crypto = Option(chunk.getCrypto_metadata)
    if (!chunk.isSetMeta_data || crypto.exists(_.isSetENCRYPTION_WITH_COLUMN_KEY))
      throw new EncryptionFailure.Unsupported("a column of it has a key of its own")
  }

  private def viewOf(data: FileMetaData, most: Int): Array[Byte] = {
    data.getRow_groups.forEach(_.getColumns.forEach { chunk =>
      chunk.unsetCrypto_metadata()
      ParquetTail.dropIndexes(chunk)
    })
    val end = ParquetTail.of(data)
    if (end.length - ParquetTail.Bytes > most)
      throw new EncryptionFailure.Unsupported("its footer is too short")
    end
  }
}
