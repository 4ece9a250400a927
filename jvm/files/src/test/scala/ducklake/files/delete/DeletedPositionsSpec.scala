package ducklake.files.delete

import org.scalatest.funsuite.AnyFunSuite

class DeletedPositionsSpec extends AnyFunSuite {

  private def kept(positions: DeletedPositions, from: Long, rows: Int): Seq[Int] = {
    val offsets = new Array[Int](rows)
    offsets.take(positions.keep(from, rows, offsets)).toSeq
  }

  test("positions may come unordered and more than once") {
    val positions = DeletedPositions(Array(7L, 3L, 7L, 0L))

    assert(positions.size == 3)
    assert(positions.contains(7L))
    assert(!positions.contains(1L))
  }

  test("an array that is given away is kept, without a copy") {
    val (ascending, others) = (Array(0L, 3L, 7L), Array(7L, 3L, 7L, 0L, 0L))

    assert(DeletedPositions.of(ascending).asSequence.unsafeArray eq ascending)
    assert(DeletedPositions.of(others).toVector == Vector(0L, 3L, 7L))
  }

  test("an array that was copied may change afterwards") {
    val array = Array(0L, 3L)
    val positions = DeletedPositions(array)
    array(0) = 1L

    assert(positions.toVector == Vector(0L, 3L))
  }

  test("the rows of a window that stay are given by their offset") {
    val positions = DeletedPositions(Array(0L, 3L, 7L, 10L))

    assert(kept(positions, 0L, 5) == Seq(1, 2, 4))
    assert(kept(positions, 5L, 5) == Seq(0, 1, 3, 4))
    assert(kept(positions, 100L, 3) == Seq(0, 1, 2))
    assert(kept(DeletedPositions.empty, 5L, 2) == Seq(0, 1))
  }

  test("deleted rows of a range are counted") {
    val positions = DeletedPositions(Array(0L, 3L, 7L, 10L))

    assert(positions.countIn(3L, 5L) == 2)
    assert(positions.countIn(4L, 3L) == 0)
    assert(positions.countIn(0L, 11L) == 4)
  }

  test("the other positions of a file are those that are not deleted") {
    val others = DeletedPositions(Array(0L, 3L, 7L)).others(6L)

    assert(others.toVector == Vector(1L, 2L, 4L, 5L))
    assert(DeletedPositions.empty.others(3L).toVector == Vector(0L, 1L, 2L))
    assert(DeletedPositions.empty.others(3L).others(3L).isEmpty)
  }

  test("a union holds the positions of both sides once") {
    val union = DeletedPositions(Array(1L, 5L)).union(DeletedPositions(Array(2L, 5L)))

    assert(union.size == 3)
    assert(kept(union, 0L, 6) == Seq(0, 3, 4))
  }
}
