package ducklake.catalog.sql

import ducklake.catalog.types.DuckDbNames
import ducklake.catalog.types.Names

import java.nio.charset.StandardCharsets

/** What becomes of the names of columns in inlined tables that DuckDB makes in PostgreSQL.
  *
  * Source: DuckDB 1.5.5 with PostgreSQL 15, observed, e2e/test_inlined_names.
  */
private[sql] object PostgresNames {

  /** DuckDB quotes a name only by its own rules, and PostgreSQL folds what is not quoted. */
  def inlined(columnName: String): String =
    if (DuckDbNames.isPlain(columnName)) Names.folded(columnName) else columnName

  /** DuckDB inlines no row of a table with a longer name, and cannot make a table with the others. */
  def canHold(columnName: String): Boolean =
    columnName.getBytes(StandardCharsets.UTF_8).length <= LongestName &&
      !systemColumns(inlined(columnName)) && !words(inlined(columnName))

  private val LongestName = 63

  /** Each table has them already. */
  private val systemColumns = Set("cmax", "cmin", "ctid", "tableoid", "xmax", "xmin")

  /** Words that PostgreSQL takes for a column only in quotes, and that DuckDB does not quote. */
  private val words = Set(
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "system_user",
  )
}
