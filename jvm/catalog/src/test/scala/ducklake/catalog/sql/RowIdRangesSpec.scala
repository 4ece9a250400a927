package ducklake.catalog.sql

import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class RowIdRangesSpec extends AnyFunSuite {

  private val sql = new WriteSql(SqliteDialect, FormatVersion.V10)

  test("row ids that follow one another are a range") {
    val ranges = RowIdRanges.of(Vector(7L, 1L, 2L, 3L, 9L, 8L, 3L))

    assert(ranges == Vector(RowIdRange(1, 3), RowIdRange(7, 9)))
    assert(RowIdRanges.of(Vector.empty).isEmpty)
  }

  test("many rows in a row are ended by one statement, and single rows are named") {
    val statements = sql.endInlinedRows(
      "ducklake_inlined_data_1_1",
      (0L to 99999L).toVector :+ 200000L,
      SnapshotId(4),
    )

    assert(
      statements.map(_.text.linesIterator.toVector.last.trim) ==
        Vector("AND (row_id BETWEEN ? AND ?)", "AND row_id IN (?)")
    )
    assert(
      statements.map(_.binds.drop(1)) == Vector(
        Vector(Bind.Number(0), Bind.Number(99999)),
        Vector(Bind.Number(200000)),
      )
    )
  }
}
