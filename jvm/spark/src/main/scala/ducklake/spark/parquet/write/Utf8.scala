package ducklake.spark.parquet.write

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Checks that texts are UTF-8: DuckDB reads no other texts, and Spark does not check them. */
object Utf8 {

  private val wordBytes = 8
  private val highBits = 0x8080808080808080L

  /** Whether the text is UTF-8. This runs for every text that is written, so it tests eight bytes
    * at once for ASCII and reads only other texts character by character.
    */
  def isValid(text: UTF8String): Boolean = isAscii(text) || text.isValid

  private def isAscii(text: UTF8String): Boolean = {
    val size = text.numBytes
    val bits =
      if (size >= wordBytes) bitsOfWords(text.getBaseObject, text.getBaseOffset, size)
      else bitsOfPart(text.getBaseObject, text.getBaseOffset, size)
    (bits & highBits) == 0
  }

  /** The bits of eight bytes or more, up to the first word that is not ASCII. The last word
    * overlaps the word before it.
    */
  private def bitsOfWords(base: AnyRef, start: Long, size: Int): Long = {
    val last = start + size - wordBytes
    var bits = Platform.getLong(base, last)
    var at = start
    while (at < last && (bits & highBits) == 0) {
      bits = Platform.getLong(base, at)
      at += wordBytes
    }
    bits
  }

  /** The bits of fewer than eight bytes, by two reads that overlap. Their signs fill the rest. */
  private def bitsOfPart(base: AnyRef, start: Long, size: Int): Long = {
    val bits =
      if (size >= 4) Platform.getInt(base, start) | Platform.getInt(base, start + size - 4)
      else if (size >= 2)
        Platform.getShort(base, start) | Platform.getShort(base, start + size - 2)
      else if (size == 1) Platform.getByte(base, start).toInt
      else 0
    bits.toLong
  }
}
