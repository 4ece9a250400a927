package ducklake.spark.changes.task

import org.scalatest.funsuite.AnyFunSuite

class RowIdsBySnapshotSpec extends AnyFunSuite {

  private val large = 1L << 40

  private def rowIds(changed: (Long, Long)*): RowIdsBySnapshot = {
    val all = new RowIdsBySnapshot
    val cursor = all.cursor
    changed.foreach { case (snapshot, rowId) => cursor.add(snapshot, rowId) }
    all
  }

  private val first = rowIds(3L -> 1L, 4L -> 2L, 4L -> large, 5L -> 1L)
  private val second = rowIds(4L -> 3L, 5L -> 1L, 6L -> large)

  private def contained(all: RowIdsBySnapshot): Seq[(Long, Long)] = {
    val cursor = all.cursor
    for {
      snapshot <- 2L to 7L
      rowId <- Seq(1L, 2L, 3L, large, large + 1)
      if cursor.contains(snapshot, rowId)
    } yield snapshot -> rowId
  }

  test("a union has the row ids of all between two snapshots") {
    val all = RowIdsBySnapshot.union(Vector(first, second), 4, 5)
    val one = RowIdsBySnapshot.union(Vector(first, second), 4, 4)

    assert(contained(all) == Seq(4L -> 2L, 4L -> 3L, 4L -> large, 5L -> 1L))
    assert(contained(one) == Seq(4L -> 2L, 4L -> 3L, 4L -> large))
    assert(contained(RowIdsBySnapshot.union(Vector.empty, 0, 9)).isEmpty)
  }

  test("a union leaves its parts as they are") {
    RowIdsBySnapshot.union(Vector(first, second), 0, 9): Unit

    assert(contained(first) == Seq(3L -> 1L, 4L -> 2L, 4L -> large, 5L -> 1L))
    assert(contained(second) == Seq(4L -> 3L, 5L -> 1L, 6L -> large))
  }
}
