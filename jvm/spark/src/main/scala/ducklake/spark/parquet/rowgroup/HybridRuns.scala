package ducklake.spark.parquet.rowgroup

import java.nio.ByteBuffer

/** Small numbers of a page, as runs of one number or as packed bits. They are asked for in ascending
  * order; those between are passed over without being looked at.
  *
  * Source: Parquet format, Encodings, run length encoding and bit-packing hybrid.
  *
  * @param bytes little-endian
  * @param start where the first run begins
  * @param width bits of a number
  */
private[rowgroup] final class HybridRuns(bytes: ByteBuffer, start: Int, width: Int) {

  private val mask = (1L << width) - 1

  /** The current run: its first number, how many it has, and where its bits are when they are packed. */
  private var first = 0
  private var count = 0
  private var isPacked = false
  private var packed = start
  private var repeated = 0
  private var next = start

  /** For [[onesBefore]]: how many of the numbers before `counted` are 1. */
  private var counted = 0
  private var ones = 0

  /** A number by its place. Errors: IndexOutOfBoundsException when the runs end before it. */
  def apply(place: Int): Int = {
    while (place >= first + count) leave()
    if (isPacked) unpacked(place - first) else repeated
  }

  /** How many numbers before a place are 1, where all are 0 or 1. Errors: as [[apply]]. */
  def onesBefore(place: Int): Int = {
    while (place >= first + count) {
      count(first + count)
      leave()
    }
    count(place)
    ones
  }

  private def leave(): Unit = {
    first += count
    val header = varint()
    isPacked = (header & 1) == 1
    if (isPacked) {
      count = (header >>> 1) * 8
      packed = next
      next += (header >>> 1) * width
    } else {
      count = header >>> 1
      repeated = 0
      (0 until (width + 7) / 8).foreach { byte =>
        repeated |= (bytes.get(next) & 0xff) << (8 * byte)
        next += 1
      }
    }
  }

  private def varint(): Int = {
    var value = 0
    var shift = 0
    var byte = 0x80
    while (byte >= 0x80) {
      byte = bytes.get(next) & 0xff
      next += 1
      value |= (byte & 0x7f) << shift
      shift += 7
    }
    value
  }

  private def unpacked(index: Int): Int = {
    val bit = index.toLong * width
    (word(packed + (bit >>> 3).toInt) >>> (bit & 7) & mask).toInt
  }

  /** Eight bytes, or zeros behind the last one. */
  private def word(at: Int): Long =
    if (at + 8 <= bytes.limit) bytes.getLong(at)
    else
      (at until bytes.limit).foldLeft(0L) { (found, byte) =>
        found | (bytes.get(byte) & 0xffL) << (8 * (byte - at))
      }

  /** Goes on to count up to a place of the current run. */
  private def count(place: Int): Unit =
    if (!isPacked) {
      ones += repeated * (place - counted)
      counted = place
    } else {
      // A plain loop: it runs over every row of a column.
      while (counted < place) {
        val bit = counted - first
        if ((bit & 7) == 0 && place - counted >= 64) {
          ones += java.lang.Long.bitCount(bytes.getLong(packed + (bit >>> 3)))
          counted += 64
        } else {
          ones += bytes.get(packed + (bit >>> 3)) >>> (bit & 7) & 1
          counted += 1
        }
      }
    }
}
