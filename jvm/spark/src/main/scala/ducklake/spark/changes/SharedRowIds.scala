package ducklake.spark.changes

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.sql.vectorized.ColumnVector

/** What happens to rows whose row id other rows may have too. DuckDB gives row ids from 10^18 on to rows
  * that one transaction both inserts into a file and updates, and begins again in each transaction.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_changes_clause (decision 0029).
  */
sealed trait SharedRowIds

object SharedRowIds {
  case object Shown extends SharedRowIds
  case object Refused extends SharedRowIds

  /** The first of the row ids that belong to a transaction. */
  private val First: Long = 1000000000000000000L

  /** Errors: Unsupported when one of the row ids may belong to several rows. */
  private[changes] def check(table: String, rowIds: ColumnVector, rows: Int): Unit = {
    // A plain loop: it runs once for every row of the feed.
    var row = 0
    while (row < rows) {
      if (rowIds.getLong(row) >= First) refuse(table, rowIds.getLong(row))
      row += 1
    }
  }

  private def refuse(table: String, rowId: Long): Nothing =
    throw new LakeException(
      LakeError.Unsupported(
        s"A row of $table has the row id $rowId, which other rows may have too, because DuckDB " +
          "inserted and updated it in one transaction: finding net changes by it",
        "Ask for `deduplicationMode = 'dropCarryovers'`, or for a range without this row.",
      )
    )
}
