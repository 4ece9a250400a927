package ducklake.spark.parquet.write

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8

/** Texts of every length up to some words, within a longer array. */
final class Utf8Spec extends AnyFunSuite {

  private val before = 3
  private val lengths = 0 to 40

  private def isValid(bytes: Array[Byte]): Boolean = {
    val around = Array.fill[Byte](before)(-1) ++ bytes ++ Array.fill[Byte](9)(-1)
    Utf8.isValid(UTF8String.fromBytes(around, before, bytes.length))
  }

  private def ascii(length: Int): Array[Byte] = Array.tabulate(length)(at => (at % 128).toByte)

  test("ASCII is valid, whatever stands beside it") {
    lengths.foreach(length => assert(isValid(ascii(length)), length))
  }

  test("one byte that begins nothing is found at each place") {
    for (length <- lengths; at <- 0 until length; byte <- Seq(0x80, 0xc3, 0xff)) {
      val bytes = ascii(length).updated(at, byte.toByte)
      // The byte after it is ASCII, or the text ends.
      assert(!isValid(bytes), s"$length bytes, $byte at $at")
    }
  }

  test("letters beyond ASCII are valid at each place") {
    for (length <- lengths; at <- 0 to length; letter <- Seq("é", "日", "🦆")) {
      val bytes = ascii(at) ++ letter.getBytes(UTF_8) ++ ascii(length - at)
      assert(isValid(bytes), s"$letter at $at of $length")
    }
  }
}
