package ducklake.files.crypto

import org.apache.parquet.io.SeekableInputStream

import java.util.Arrays

/** Decrypted bytes of the file from `start` on. */
private[crypto] final case class Piece(start: Long, bytes: Array[Byte]) {
  def end: Long = start + bytes.length
  def has(position: Long): Boolean = position >= start && position < end
}

/** Some pages in sequence of one column.
  *
  * @param position of the first page in the file
  */
private[crypto] final class DecryptedPages(
    raw: SeekableInputStream,
    modules: Modules,
    chunk: EncryptedChunk,
    position: Long,
) {
  import DecryptedPages.*

  // Encrypted bytes from the position on, of which some are read. One thread.
  private var bytes = Array.emptyByteArray
  private var filled = 0

  private var pages = Vector.empty[PageModules]

  /** The pages that hold the next `wanted` bytes. Errors: EncryptionFailure, EOFException. */
  def read(wanted: Int): Piece = {
    raw.seek(position)
    fill(math.min(left, math.max(wanted, LeastRead).toLong).toInt)
    var end = 0
    while (end < wanted && end < left) {
      val page = pageAt(end)
      pages :+= page
      end += page.size
    }
    val plain = new Array[Byte](end)
    pages.foreach(decrypt(_, plain))
    Piece(position, plain)
  }

  private def left: Long = chunk.end - position

  private def pageAt(at: Int): PageModules = {
    val header = moduleAt(at)
    val data = moduleAt(at + header)
    fill(at + header + data)
    PageModules(at, header, data)
  }

  private def moduleAt(at: Int): Int = {
    if (left - at < Modules.Overhead) throw EncryptionFailure.changed(subject)
    fill(at + Modules.LengthBytes)
    Modules.checked(Modules.sizeAt(bytes, at), left - at, subject)
  }

  private def subject: String = s"a page of row group ${chunk.group}"

  /** Reads until `end` bytes are loaded. */
  private def fill(end: Int): Unit =
    if (end > filled) {
      if (end > bytes.length) bytes = Arrays.copyOf(bytes, end)
      raw.readFully(bytes, filled, end - filled)
      filled = end
    }

  private def decrypt(page: PageModules, to: Array[Byte]): Unit = {
    val header = modules.opened(bytes, page.at, place(page.at))
    val dataBytes = page.data - Modules.Overhead
    val headerBytes = page.size - dataBytes
    val plain = DecryptedPage.header(header, dataBytes, headerBytes)
    plain.copyToArray(to, page.at): Unit
    val data = page.at + page.header
    modules.open(bytes, data, place(data), to, page.at + headerBytes): Unit
  }

  private def place(at: Int): ModulePlace = ModulePlace(position + at, subject)
}

private object DecryptedPages {

  /** Small requests are for the header of a page, and its data come next. */
  private val LeastRead = 16 * 1024

  /** The place of a page's modules among the bytes, and their sizes. */
  private final case class PageModules(at: Int, header: Int, data: Int) {
    def size: Int = header + data
  }
}
