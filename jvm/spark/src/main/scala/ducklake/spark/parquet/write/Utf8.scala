package ducklake.spark.parquet.write

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Whether texts are UTF-8: DuckDB reads no others, Spark does not care. */
object Utf8 {

  private val wordBytes = 8
  private val highBits = 0x8080808080808080L

  /** Runs for every text that is written, so eight bytes are looked at together, and only texts beyond
    * ASCII are read letter by letter.
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
