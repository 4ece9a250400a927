package ducklake.catalog.sql

import ducklake.catalog.types.Names
import ducklake.catalog.types.text.DuckDbNames

import java.nio.charset.StandardCharsets

/** The names of columns in inlined tables that DuckDB creates in PostgreSQL.
  *
  * Source: DuckDB 1.5.5 with PostgreSQL 15, observed, e2e/test_inlined_names.
  */
private[sql] object PostgresNames {

  /** The name of a column in PostgreSQL. DuckDB quotes names by its own rules, and PostgreSQL folds
    * a name that is not quoted to lower case.
    */
  def inlined(columnName: String): String =
    if (DuckDbNames.isPlain(columnName)) Names.folded(columnName) else columnName

  /** Whether an inlined table can have a column of this name. DuckDB inlines no rows of a table
    * with a longer column name, and it cannot create an inlined table with the other excluded
    * names.
    */
  def canHold(columnName: String): Boolean =
    columnName.getBytes(StandardCharsets.UTF_8).length <= LongestName &&
      !systemColumns(inlined(columnName)) && !words(inlined(columnName))

  private val LongestName = 63

  /** System columns that every table of PostgreSQL has. */
  private val systemColumns = Set("cmax", "cmin", "ctid", "tableoid", "xmax", "xmin")

  /** Words that PostgreSQL accepts as column names only in quotes, and that DuckDB does not quote.
    */
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
