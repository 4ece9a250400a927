package ducklake.files.delete

import org.roaringbitmap.RoaringBitmap

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.zip.CRC32

import scala.collection.mutable

/** Reads and writes one deletion vector.
  *
  * Layout: big-endian length of magic and bitmap, magic, a 64-bit Roaring bitmap in portable form,
  * big-endian CRC-32 of magic and bitmap.
  *
  * Source: DuckDB 1.5.5, format 6.5.
  */
object DeletionVector {

  private val magic = Array[Byte](0xd1.toByte, 0xd3.toByte, 0x39, 0x64)
  private val frameBytes = 8

  /** The positions, ascending.
    *
    * @param rows of the data file. A few bytes may stand for billions of positions, so a position
    *   beyond the rows ends the reading.
    *
    * Errors: IllegalArgumentException with the reason why the bytes are invalid.
    */
  def decode(bytes: Array[Byte], rows: Long): Array[Long] = {
    require(bytes.length >= frameBytes + magic.length, "the deletion vector is too short")
    val buffer = ByteBuffer.wrap(bytes)
    val length = buffer.getInt(0)
    require(length == bytes.length - frameBytes, "the deletion vector's length does not fit")
    require(checksum(bytes, length) == buffer.getInt(4 + length), "the checksum does not fit")
    decodeBare(bytes.slice(4, 4 + length), rows)
  }

  /** Like [[decode]], for magic and bitmap without length and checksum. */
  def decodeBare(bytes: Array[Byte], rows: Long): Array[Long] = {
    require(bytes.startsWith(magic), "the deletion vector has a wrong magic number")
    bitmaps(ByteBuffer.wrap(bytes, magic.length, bytes.length - magic.length).slice(), rows)
  }

  /** The bytes that [[decode]] reads. They depend on the positions alone. */
  def encode(positions: DeletedPositions): Array[Byte] = {
    val parts = bitmapsOf(positions)
    val bitmapBytes = parts.map { case (_, bitmap) => Integer.BYTES + bitmap.serializedSizeInBytes }
    val length = magic.length + java.lang.Long.BYTES + bitmapBytes.sum
    val bytes = new Array[Byte](length + frameBytes)
    val buffer = ByteBuffer.wrap(bytes)
    buffer.putInt(length).put(magic).order(ByteOrder.LITTLE_ENDIAN).putLong(parts.size.toLong)
    parts.foreach { case (high, bitmap) =>
      buffer.putInt(high)
      bitmap.serialize(buffer)
    }
    buffer.order(ByteOrder.BIG_ENDIAN).putInt(checksum(bytes, length))
    bytes
  }

  /** A bitmap for each number of the high 32 bits, ascending. */
  private def bitmapsOf(positions: DeletedPositions): Vector[(Int, RoaringBitmap)] = {
    val parts = mutable.LinkedHashMap.empty[Int, RoaringBitmap]
    positions.foreach { position =>
      parts.getOrElseUpdate((position >>> 32).toInt, new RoaringBitmap).add(position.toInt)
    }
    parts.values.foreach(_.runOptimize(): Unit)
    parts.toVector
  }

  private def checksum(bytes: Array[Byte], length: Int): Int = {
    val crc = new CRC32
    crc.update(bytes, 4, length)
    crc.getValue.toInt
  }

  private def bitmaps(source: ByteBuffer, rows: Long): Array[Long] = {
    val buffer = source.order(ByteOrder.LITTLE_ENDIAN)
    val positions = Array.newBuilder[Long]
    var last = -1L
    val count = buffer.getLong()
    require(count >= 0 && count <= buffer.remaining / 4, "the number of bitmaps does not fit")
    (0L until count).foreach { _ =>
      val high = buffer.getInt()
      require(high >= 0, "a position is negative")
      val bitmap = new RoaringBitmap
      bitmap.deserialize(buffer.slice())
      buffer.position(buffer.position() + bitmap.serializedSizeInBytes()): Unit
      bitmap.forEach { (low: Int) =>
        val position = high.toLong << 32 | Integer.toUnsignedLong(low)
        DeletedPositions.requireRow(position, rows)
        require(position > last, "the positions do not ascend")
        last = position
        positions.addOne(position): Unit
      }
    }
    require(!buffer.hasRemaining, "the deletion vector has bytes after its last bitmap")
    positions.result()
  }
}
