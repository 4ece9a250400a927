package ducklake.spark.parquet.rowgroup

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.nio.ByteBuffer

/** Takes values out of the encoded values of a page, in the same encoding.
  *
  * @param places which values, ascending; the first `count` of them
  */
private[rowgroup] final class SelectedValues(places: Array[Int], count: Int) {

  /** @param values the values of a page, little-endian, from index 0
    *
    * Errors: UnsupportedOperationException for an encoding that is not known here.
    */
  def of(values: ByteBuffer, encoding: Encoding, kind: PrimitiveType): BytesInput =
    encoding match {
      case dictionary if dictionary.usesDictionary => dictionaryIds(values)
      case Encoding.RLE => encodedBooleans(values)
      case Encoding.PLAIN => plain(values, kind)
      case other => throw new UnsupportedOperationException(s"values as $other")
    }

  private def plain(values: ByteBuffer, kind: PrimitiveType): BytesInput =
    kind.getPrimitiveTypeName match {
      case PrimitiveTypeName.BOOLEAN => booleans(values)
      case PrimitiveTypeName.BINARY => binaries(values)
      case PrimitiveTypeName.INT32 | PrimitiveTypeName.FLOAT => ofWidth(values, 4)
      case PrimitiveTypeName.INT64 | PrimitiveTypeName.DOUBLE => ofWidth(values, 8)
      case PrimitiveTypeName.INT96 => ofWidth(values, 12)
      case PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY => ofWidth(values, kind.getTypeLength)
    }

  private def ofWidth(values: ByteBuffer, width: Int): BytesInput = {
    val found = new Array[Byte](count * width)
    var index = 0
    while (index < count) {
      values.get(places(index) * width, found, index * width, width)
      index += 1
    }
    BytesInput.from(found)
  }

  /** Each value follows its length, so the way to a value leads over all before it. */
  private def binaries(values: ByteBuffer): BytesInput = {
    val starts = new Array[Int](count)
    var size = 0
    var place = 0
    var at = 0
    var index = 0
    while (index < count) {
      while (place < places(index)) {
        at += bytesAt(values, at)
        place += 1
      }
      starts(index) = at
      size += bytesAt(values, at)
      index += 1
    }
    val found = new Array[Byte](size)
    var written = 0
    index = 0
    while (index < count) {
      val length = bytesAt(values, starts(index))
      values.get(starts(index), found, written, length)
      written += length
      index += 1
    }
    BytesInput.from(found)
  }

  /** The bytes of a value with those of its length. */
  private def bytesAt(values: ByteBuffer, at: Int): Int = {
    val length = values.getInt(at)
    if (length < 0 || length > values.limit - at - 4)
      throw new ParquetDecodingException(s"a value of $length bytes does not fit in its page")
    4 + length
  }

  private def booleans(values: ByteBuffer): BytesInput = {
    val found = new Array[Byte]((count + 7) / 8)
    (0 until count).foreach { index =>
      val bit = values.get(places(index) >>> 3) >>> (places(index) & 7) & 1
      found(index >>> 3) = (found(index >>> 3) | bit << (index & 7)).toByte
    }
    BytesInput.from(found)
  }

  /** A page of NULLs alone may lack the byte with the width of the ids. */
  private def dictionaryIds(values: ByteBuffer): BytesInput =
    if (count == 0) BytesInput.empty
    else {
      val width = values.get(0) & 0xff
      BytesInput.concat(BytesInput.from(Array(width.toByte)), hybrid(values, 1, width))
    }

  /** Their bytes follow the length of all. */
  private def encodedBooleans(values: ByteBuffer): BytesInput = {
    val found = hybrid(values, 4, 1)
    BytesInput.concat(BytesInput.fromInt(found.size.toInt), found)
  }

  private def hybrid(values: ByteBuffer, start: Int, width: Int): BytesInput = {
    val runs = new HybridRuns(values, start, width)
    val encoder = SelectedValues.encoder(width)
    var index = 0
    while (index < count) {
      encoder.writeInt(runs(places(index)))
      index += 1
    }
    encoder.toBytes
  }
}

private[rowgroup] object SelectedValues {

  private val SlabBytes = 64
  private val MostBytes = 1024 * 1024

  def encoder(width: Int): RunLengthBitPackingHybridEncoder =
    new RunLengthBitPackingHybridEncoder(
      width,
      SlabBytes,
      MostBytes,
      HeapByteBufferAllocator.getInstance,
    )
}
