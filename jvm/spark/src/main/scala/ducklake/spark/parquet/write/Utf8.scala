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
    val base = text.getBaseObject
    val end = text.getBaseOffset + text.numBytes
    var at = text.getBaseOffset
    var seen = 0L
    while (at <= end - wordBytes && (seen & highBits) == 0) {
      seen = Platform.getLong(base, at)
      at += wordBytes
    }
    while (at < end && (seen & highBits) == 0) {
      seen = Platform.getByte(base, at).toLong
      at += 1
    }
    (seen & highBits) == 0
  }
}
