package ducklake.files.crypto

import org.apache.parquet.format.ColumnChunk
import org.apache.parquet.format.ColumnMetaData
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.Util

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII

/** The end of a Parquet file: the footer, its size in four bytes, and four letters. */
private[crypto] object ParquetTail {

  /** Letters of Parquet files without and with encryption. Files begin with them too. */
  val PlainLetters = "PAR1"
  val EncryptedLetters = "PARE"
  val LettersBytes = 4

  /** Bytes after the footer. */
  val Bytes: Int = 4 + LettersBytes

  /** The end of a file without encryption. */
  def of(footer: FileMetaData): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, out)
    out.write(after(out.size, PlainLetters))
    out.toByteArray
  }

  /** The bytes after a footer of this size. */
  def after(footerBytes: Int, letters: String): Array[Byte] =
    ByteBuffer
      .allocate(Bytes)
      .order(ByteOrder.LITTLE_ENDIAN)
      .putInt(footerBytes)
      .put(letters.getBytes(US_ASCII))
      .array

  /** The footer of a file without encryption, of which these are the last bytes; None when they are
    * not the end of a file.
    */
  def footer(bytes: Array[Byte], count: Int): Option[FileMetaData] =
    Option.when(count >= Bytes && endsPlain(bytes, count)) {
      val size = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(count - Bytes)
      Util.readFileMetaData(new ByteArrayInputStream(bytes, count - Bytes - size, size))
    }

  private def endsPlain(bytes: Array[Byte], count: Int): Boolean =
    new String(bytes, count - LettersBytes, LettersBytes, US_ASCII) == PlainLetters

  /** The position of the first page of a column: its dictionary, if it has one. */
  def firstPage(data: ColumnMetaData): Long = {
    val first = data.getData_page_offset
    if (!data.isSetDictionary_page_offset) first
    else Some(data.getDictionary_page_offset).filter(at => at > 0 && at < first).getOrElse(first)
  }

  /** Encrypted files have neither indexes of pages nor bloom filters. */
  def dropIndexes(chunk: ColumnChunk): Unit = {
    chunk.unsetColumn_index_offset()
    chunk.unsetColumn_index_length()
    chunk.unsetOffset_index_offset()
    chunk.unsetOffset_index_length()
    chunk.getMeta_data.unsetBloom_filter_offset()
    chunk.getMeta_data.unsetBloom_filter_length()
  }
}
