package ducklake.files.crypto

import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.PageHeader
import org.apache.parquet.format.Util
import org.apache.parquet.io.PositionOutputStream

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Arrays

/** Encrypts a Parquet file that is written to it without encryption. Pages are encrypted as soon as
  * they are complete. The footer follows when the stream is closed. Indexes of pages and bloom
  * filters are left out. Positions are positions in the file without encryption. For one thread.
  *
  * When a writer has failed, it closes the stream without a footer, and no footer is written.
  */
private[crypto] final class EncryptedStream(under: PositionOutputStream, modules: Modules)
    extends PositionOutputStream {
  import EncryptedStream.*

  private val places = new PagePlaces

  // Bytes that are not encrypted yet. When they reach the needed number, a page may be complete.
  private var bytes = new Array[Byte](LeastBytes)
  private var filled = 0
  private var needed = LeastBytes

  private var received = 0L
  private var isOpen = true

  override def getPos: Long = received

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(from: Array[Byte], offset: Int, length: Int): Unit = {
    val end = Math.addExact(filled, length)
    if (end > bytes.length) bytes = Arrays.copyOf(bytes, math.max(end.toLong, roomier).toInt)
    System.arraycopy(from, offset, bytes, filled, length)
    filled = end
    received += length
    if (filled >= needed) encryptPages()
  }

  override def flush(): Unit = under.flush()

  override def close(): Unit =
    if (isOpen) {
      isOpen = false
      try {
        encryptPages()
        ParquetTail.footer(bytes, filled).foreach(encryptFooter)
      } finally under.close()
    }

  private def roomier: Long = math.min(2L * bytes.length, MostBytes.toLong)

  private def encryptPages(): Unit = {
    var at = if (received == filled) begin() else 0
    var page = pageAt(at)
    while (page.exists(_.end <= filled)) {
      page.foreach(encrypt(_, at))
      at = page.fold(at)(_.end)
      page = pageAt(at)
    }
    needed = page.fold(math.max(LeastBytes, 2 * (filled - at)))(_.end - at)
    System.arraycopy(bytes, at, bytes, 0, filled - at)
    filled -= at
  }

  /** Writes the first letters of the file, and returns where its first page begins. */
  private def begin(): Int =
    if (filled < ParquetTail.LettersBytes) 0
    else {
      under.write(ParquetTail.EncryptedLetters.getBytes(US_ASCII))
      ParquetTail.LettersBytes
    }

  /** The page that begins at `at`, which may be incomplete. None when its header is incomplete, and
    * after the last page: indexes and footers cannot be read as a page header, because they lack
    * required fields.
    */
  private def pageAt(at: Int): Option[Page] = {
    val in = new ByteArrayInputStream(bytes, at, filled - at)
    try {
      val header = Util.readPageHeader(in)
      val dataAt = filled - in.available
      Some(Page(header, dataAt, Math.addExact(dataAt, header.getCompressed_page_size)))
    } catch { case _: IOException => None }
  }

  private def encrypt(page: Page, at: Int): Unit = {
    places.add(received - filled + at, under.getPos)
    // The checksum would not match the encrypted bytes.
    page.header.unsetCrc()
    val header = new ByteArrayOutputStream
    Util.writePageHeader(page.header, header)
    under.write(modules.sealOf(header.toByteArray, 0, header.size, under.getPos))
    under.write(modules.sealOf(bytes, page.dataAt, page.end - page.dataAt, under.getPos))
  }

  private def encryptFooter(footer: FileMetaData): Unit = {
    places.add(received - filled, under.getPos)
    under.write(NewFooter.of(footer, places, modules, under.getPos))
  }
}

private object EncryptedStream {
  private val LeastBytes = 64 * 1024

  /** The longest array that all virtual machines support. */
  private val MostBytes = Int.MaxValue - 8

  /** A page among the bytes.
    *
    * @param dataAt where its data begin
    * @param end where they end
    */
  private final case class Page(header: PageHeader, dataAt: Int, end: Int)
}
