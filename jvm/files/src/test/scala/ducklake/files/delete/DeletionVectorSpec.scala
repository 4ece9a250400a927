package ducklake.files.delete

import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder

final class DeletionVectorSpec extends AnyFunSuite {

  private val rows = 1L << 40

  private def refusal(bytes: Array[Byte], rows: Long): String =
    intercept[IllegalArgumentException](DeletionVector.decode(bytes, rows)).getMessage

  test("positions of several bitmaps are read back") {
    val positions = Array(0L, 7L, 65536L, 4294967295L, 4294967296L, 8589934592L + 3)

    val bytes = DeletionVector.encode(DeletedPositions(positions))

    assert(DeletionVector.decode(bytes, rows).toVector == positions.toVector)
  }

  test("the bytes are those of the format") {
    val bytes = DeletionVector.encode(DeletedPositions(Array(1L, 3L)))

    val hex = bytes.map(byte => f"$byte%02x").mkString
    assert(
      hex == "00000024" + "d1d33964" + "0100000000000000" + "00000000" +
        "3a300000" + "01000000" + "0000" + "0100" + "10000000" + "0100" + "0300" +
        hex.takeRight(8)
    )
    assert(DeletionVector.decode(bytes, rows).toVector == Vector(1L, 3L))
  }

  test("long runs take few bytes") {
    val positions = DeletedPositions(Array.tabulate(100000)(_.toLong))

    assert(DeletionVector.encode(positions).length < 100)
  }

  test("few bytes with billions of positions are refused at the first that is no row") {
    val bitmap = new RoaringBitmap
    bitmap.add(0L, 1L << 32)
    bitmap.runOptimize(): Unit
    val bytes = vector(0 -> bitmap, 1 -> bitmap)

    assert(bytes.length < (1 << 21))
    assert(
      refusal(
        bytes,
        10,
      ) == "requirement failed: position 10 is no row of the data file, which has 10"
    )
  }

  test("bitmaps that do not ascend are refused") {
    val bitmap = RoaringBitmap.bitmapOf(3, 4)

    assert(refusal(vector(0 -> bitmap, 0 -> bitmap), 10).contains("do not ascend"))
    assert(refusal(vector(1 -> bitmap, 0 -> bitmap), rows).contains("do not ascend"))
  }

  test("runs of one bitmap that overlap are refused") {
    val bitmap = new RoaringBitmap
    bitmap.add(0L, 100L)
    bitmap.add(200L, 300L)
    bitmap.runOptimize(): Unit
    val bytes = vector(0 -> bitmap)
    // The start of the second run: its two bytes are followed by its length, 99.
    val start = bytes.indexOfSlice(Seq[Byte](200.toByte, 0, 99, 0))
    val body = bytes.slice(4, bytes.length - 4).updated(start - 4, 50.toByte)

    assert(refusal(PuffinSamples.framed(body), rows).contains("do not ascend"))
  }

  private def vector(parts: (Int, RoaringBitmap)*): Array[Byte] = {
    val bytes = parts.map { case (high, bitmap) =>
      val buffer =
        ByteBuffer.allocate(4 + bitmap.serializedSizeInBytes).order(ByteOrder.LITTLE_ENDIAN)
      buffer.putInt(high): Unit
      bitmap.serialize(buffer)
      buffer.array
    }
    val count = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(parts.size.toLong)
    PuffinSamples.framed(
      Array.concat(Seq(Array[Byte](-47, -45, 57, 100), count.array) ++ bytes: _*)
    )
  }
}
