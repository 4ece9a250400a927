package ducklake.catalog.partition

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** MurmurHash3, x86, 32 bits, seed 0. */
private[partition] object Murmur3 {
  private val c1 = 0xcc9e2d51
  private val c2 = 0x1b873593

  def hash(bytes: Array[Byte]): Int = {
    val words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val wordCount = bytes.length / 4
    val body = (0 until wordCount).foldLeft(0) { (state, i) =>
      val mixed = state ^ scramble(words.getInt(i * 4))
      Integer.rotateLeft(mixed, 13) * 5 + 0xe6546b64
    }
    finish(body ^ scramble(tail(bytes, wordCount * 4)) ^ bytes.length)
  }

  private def tail(bytes: Array[Byte], from: Int): Int =
    (from until bytes.length).foldRight(0)((i, word) => word << 8 | bytes(i) & 0xff)

  private def scramble(word: Int): Int = Integer.rotateLeft(word * c1, 15) * c2

  private def finish(state: Int): Int = {
    val first = (state ^ state >>> 16) * 0x85ebca6b
    val second = (first ^ first >>> 13) * 0xc2b2ae35
    second ^ second >>> 16
  }
}
