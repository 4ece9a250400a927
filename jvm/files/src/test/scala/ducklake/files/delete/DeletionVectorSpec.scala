package ducklake.files.delete

import org.scalatest.funsuite.AnyFunSuite

final class DeletionVectorSpec extends AnyFunSuite {

  test("positions of several bitmaps are read back") {
    val positions = Array(0L, 7L, 65536L, 4294967295L, 4294967296L, 8589934592L + 3)

    val bytes = DeletionVector.encode(DeletedPositions(positions))

    assert(DeletionVector.decode(bytes).toVector == positions.toVector)
  }

  test("the bytes are those of the format") {
    val bytes = DeletionVector.encode(DeletedPositions(Array(1L, 3L)))

    val hex = bytes.map(byte => f"$byte%02x").mkString
    assert(
      hex == "00000024" + "d1d33964" + "0100000000000000" + "00000000" +
        "3a300000" + "01000000" + "0000" + "0100" + "10000000" + "0100" + "0300" +
        hex.takeRight(8)
    )
    assert(DeletionVector.decode(bytes).toVector == Vector(1L, 3L))
  }

  test("long runs take few bytes") {
    val positions = DeletedPositions(Array.tabulate(100000)(_.toLong))

    assert(DeletionVector.encode(positions).length < 100)
  }
}
