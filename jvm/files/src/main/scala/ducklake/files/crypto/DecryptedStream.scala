package ducklake.files.crypto

import org.apache.parquet.io.SeekableInputStream

import java.io.EOFException
import java.nio.ByteBuffer
import java.util.TreeMap

/** A view of an encrypted file, in which it looks like a Parquet file without encryption. Bytes are
  * read and decrypted when they are requested, and every page has the same position as in the file.
  * For one thread.
  *
  * Bytes that belong to no page or footer cannot be read.
  *
  * @param fileBytes the size of the file, and of the view
  */
private[crypto] final class DecryptedStream(
    raw: SeekableInputStream,
    footer: EncryptedFooter,
    fileBytes: Long,
) extends SeekableInputStream {
  import DecryptedStream.*

  private val chunks = new TreeMap[Long, EncryptedChunk]
  footer.chunks.foreach(chunk => chunks.put(chunk.start, chunk))

  private val end = Piece(fileBytes - footer.end.length, footer.end)

  private var position = 0L
  private var piece = end

  override def getPos: Long = position

  override def seek(to: Long): Unit = position = to

  override def read(): Int =
    if (position >= fileBytes) -1
    else {
      prepare(1)
      val byte = piece.bytes((position - piece.start).toInt)
      position += 1
      byte & 0xff
    }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0 else read(ByteBuffer.wrap(bytes, offset, length))

  override def read(buffer: ByteBuffer): Int =
    if (!buffer.hasRemaining) 0
    else if (position >= fileBytes) -1
    else {
      prepare(math.min(buffer.remaining, MostRead))
      val count = math.min(piece.end - position, buffer.remaining.toLong).toInt
      buffer.put(piece.bytes, (position - piece.start).toInt, count)
      position += count
      count
    }

  override def readFully(bytes: Array[Byte]): Unit = readFully(ByteBuffer.wrap(bytes))

  override def readFully(bytes: Array[Byte], offset: Int, length: Int): Unit =
    readFully(ByteBuffer.wrap(bytes, offset, length))

  override def readFully(buffer: ByteBuffer): Unit =
    while (buffer.hasRemaining)
      if (read(buffer) < 0) throw new EOFException("the file has ended before what it says")

  override def close(): Unit = raw.close()

  /** Loads the piece that contains the position, unless it is loaded. */
  private def prepare(wanted: Int): Unit =
    if (!piece.has(position)) piece = if (end.has(position)) end else loaded(wanted)

  /** The pages from the position on. A page must begin there. */
  private def loaded(wanted: Int): Piece = {
    val chunk = Option(chunks.floorEntry(position)).map(_.getValue).filter(position < _.end)
    chunk.fold(throw EncryptionFailure.changed("a part of it"))(
      new DecryptedPages(raw, footer.modules, _, position).read(wanted)
    )
  }
}

private object DecryptedStream {

  /** The most bytes that one request decrypts; always whole pages. */
  private val MostRead = 8 << 20
}
