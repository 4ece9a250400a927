package ducklake.spark.parquet.vector

import org.apache.spark.unsafe.types.UTF8String

import java.nio.charset.StandardCharsets.US_ASCII

/** Writes a time of day as DuckDB does: `HH:MM:SS[.ffffff]` without trailing zeros. */
object ClockText {

  private val zero = '0'.toByte

  /** The text of a time, with `suffix` appended.
    *
    * @param ticks ticks since midnight
    * @param perSecond ticks in a second
    */
  def of(ticks: Long, perSecond: Long, suffix: String): UTF8String = {
    // Digits are written by hand: this runs once for every value of a column.
    val seconds = ticks / perSecond
    val text = new Array[Byte](18 + suffix.length)
    twoDigits(seconds / 3600, text, 0)
    text(2) = ':'
    twoDigits(seconds / 60 % 60, text, 3)
    text(5) = ':'
    twoDigits(seconds % 60, text, 6)
    val end = fraction(ticks % perSecond, perSecond, text)
    val tail = suffix.getBytes(US_ASCII)
    System.arraycopy(tail, 0, text, end, tail.length)
    UTF8String.fromBytes(text, 0, end + tail.length)
  }

  private def twoDigits(value: Long, text: Array[Byte], at: Int): Unit = {
    text(at) = (zero + value / 10).toByte
    text(at + 1) = (zero + value % 10).toByte
  }

  /** Writes the fraction of a second from position 8 on and returns the end of the text. */
  private def fraction(ticks: Long, perSecond: Long, text: Array[Byte]): Int = {
    var end = 8
    var rest = ticks
    var unit = perSecond / 10
    if (rest != 0) {
      text(end) = '.'
      end += 1
    }
    while (rest != 0) {
      text(end) = (zero + rest / unit).toByte
      end += 1
      rest %= unit
      unit /= 10
    }
    end
  }
}
