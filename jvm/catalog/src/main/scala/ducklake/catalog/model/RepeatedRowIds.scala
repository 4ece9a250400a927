package ducklake.catalog.model

/** Row ids that several rows of a table may have. DuckDB gives row ids from 10^18 on to rows that
  * one transaction both inserts into a file and updates, and begins again in each transaction.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_changes_clause (decision 10).
  */
object RepeatedRowIds {

  private val First: Long = 1000000000000000000L

  def contains(rowId: Long): Boolean = rowId >= First
}
