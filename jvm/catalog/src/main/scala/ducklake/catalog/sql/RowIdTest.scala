package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** Conditions that choose rows by row id. A statement with such a condition reads the whole inlined
  * table, which has no index, so row ids that follow one another become one range.
  */
private[sql] object RowIdTest {

  /** Conditions that share no row. Each has a bounded number of values. */
  def of(column: Sql, rowIds: IndexedSeq[Long]): Vector[Sql] = {
    val (ranges, single) = RowIdRanges.of(rowIds).partition(_.size >= LeastRange)
    val ofRanges = ranges.grouped(MostRanges).map { some =>
      val tests = some.map(range => sql"$column BETWEEN ${range.first} AND ${range.last}")
      sql"(${tests.reduce((left, right) => sql"$left OR $right")})"
    }
    val ofSingle = single.flatMap(_.ids).grouped(MostIds).map { some =>
      sql"$column IN (${Sql.list(some.map(id => id: SqlPart))})"
    }
    (ofRanges ++ ofSingle).toVector
  }

  /** Shorter runs of row ids are listed one by one. */
  private val LeastRange = 8L
  private val MostRanges = 100
  private val MostIds = 500
}
