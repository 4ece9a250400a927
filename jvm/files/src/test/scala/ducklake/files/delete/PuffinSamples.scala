package ducklake.files.delete

import org.roaringbitmap.RoaringBitmap

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32

/** Bytes of deletion vectors and Puffin containers, written from the specification. */
object PuffinSamples {

  /** One entry of the footer's list.
    *
    * @param properties as JSON
    */
  final case class Blob(bytes: Array[Byte], properties: String, kind: String = "deletion-vector-v1")

  def vector(positions: Long*): Array[Byte] = {
    val groups = positions.groupBy(_ >>> 32).toVector.sortBy(_._1)
    val bitmaps = groups.map { case (high, own) =>
      val bitmap = RoaringBitmap.bitmapOf(own.map(_.toInt)*)
      val buffer = ByteBuffer
        .allocate(4 + bitmap.serializedSizeInBytes)
        .order(ByteOrder.LITTLE_ENDIAN)
      buffer.putInt(high.toInt)
      bitmap.serialize(buffer)
      buffer.array
    }
    val count = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(groups.size.toLong)
    val magic = Array[Byte](-47, -45, 57, 100)
    framed(Array.concat(magic +: count.array +: bitmaps: _*))
  }

  def framed(body: Array[Byte]): Array[Byte] = {
    val crc = new CRC32
    crc.update(body)
    ByteBuffer
      .allocate(body.length + 8)
      .putInt(body.length)
      .put(body)
      .putInt(crc.getValue.toInt)
      .array
  }

  def atSnapshot(snapshot: Long, positions: Long*): Blob =
    Blob(vector(positions*), s"""{"ducklake-snapshot-id":"$snapshot"}""")

  def container(blobs: Blob*): Array[Byte] = {
    val offsets = blobs.scanLeft(4)(_ + _.bytes.length)
    val entries = blobs.zip(offsets).map { case (blob, offset) =>
      s"""{"type":"${blob.kind}","fields":[],"snapshot-id":-1,"sequence-number":-1,""" +
        s""""offset":$offset,"length":${blob.bytes.length},"properties":${blob.properties}}"""
    }
    val footer = s"""{"blobs":[${entries.mkString(",")}],"properties":{"created-by":"ducklake"}}"""
    withFooter(Array.concat(blobs.map(_.bytes)*), footer, flags = 0)
  }

  def withFooter(blobs: Array[Byte], footer: String, flags: Int): Array[Byte] = {
    val magic = "PFA1".getBytes(UTF_8)
    val json = footer.getBytes(UTF_8)
    val tail = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)
    Array.concat(magic, blobs, magic, json, tail.putInt(json.length).putInt(flags).array, magic)
  }
}
