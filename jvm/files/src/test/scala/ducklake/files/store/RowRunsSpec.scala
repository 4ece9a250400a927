package ducklake.files.store

import org.scalatest.funsuite.AnyFunSuite

class RowRunsSpec extends AnyFunSuite {

  private def runs(gap: Int, rows: Long*): RowRuns = {
    val builder = new RowRuns.Builder(gap)
    rows.foreach(row => builder.add(row, row + 1))
    builder.result
  }

  private def rows(runs: RowRuns): Vector[Long] = {
    val each = runs.iterator
    Iterator.continually(each).takeWhile(_.hasNext).map(_.nextLong()).toVector
  }

  test("neighbours are one run") {
    val found = runs(0, 3, 4, 5, 9)

    assert(found.toString == "[3 until 6, 9 until 10]")
    assert(found.rows == 4)
    assert(rows(found) == Vector(3, 4, 5, 9))
  }

  test("short gaps are filled") {
    assert(runs(2, 0, 3, 7).toString == "[0 until 4, 7 until 8]")
  }

  test("all rows, and none") {
    assert(rows(RowRuns.all(3)) == Vector(0, 1, 2))
    assert(RowRuns.all(3).areAll(3))
    assert(RowRuns.all(0).isEmpty)
    assert(rows(RowRuns.none).isEmpty)
  }

  test("any number of runs") {
    val even = (0L until 1000L by 2)

    assert(rows(runs(0, even*)) == even)
  }
}
