package ducklake.files.store

import org.apache.hadoop.fs.FSInputStream

import java.io.EOFException

/** A published file as a stream with positions. A long read is one request for just these bytes;
  * short reads share a request for the block around them.
  */
private[store] final class HttpStream(file: HttpFile) extends FSInputStream {

  private var position = 0L
  private var block = Array.emptyByteArray
  private var blockStart = 0L

  override def getPos: Long = position

  override def seek(target: Long): Unit = {
    if (target < 0) throw new EOFException("cannot seek to before the file")
    position = target
  }

  override def seekToNewSource(target: Long): Boolean = false

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(into: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else if (isInBlock) fromBlock(into, offset, length)
    else if (length >= HttpStream.BlockBytes) advanced(file.bytes(position, length), into, offset)
    else {
      block = file.bytes(position, HttpStream.BlockBytes)
      blockStart = position
      fromBlock(into, offset, length)
    }

  private def isInBlock: Boolean = position >= blockStart && position < blockStart + block.length

  private def fromBlock(into: Array[Byte], offset: Int, length: Int): Int = {
    val from = (position - blockStart).toInt
    advanced(block.slice(from, from + length), into, offset)
  }

  private def advanced(bytes: Array[Byte], into: Array[Byte], offset: Int): Int =
    if (bytes.isEmpty) -1
    else {
      bytes.copyToArray(into, offset): Unit
      position += bytes.length
      bytes.length
    }
}

private object HttpStream {
  private val BlockBytes = 64 * 1024
}
