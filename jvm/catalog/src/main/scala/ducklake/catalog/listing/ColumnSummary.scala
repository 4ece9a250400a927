package ducklake.catalog.listing

import ducklake.catalog.types.Literal

/** The statistics of a column over all files of a table.
  *
  * @param min the least value, `Literal.Null` when the files hold none; None unless it is exact
  * @param max the greatest value, likewise
  * @param nulls the number of NULLs; None when it is not known of every file
  */
final case class ColumnSummary(
    min: Option[Literal],
    max: Option[Literal],
    nulls: Option[Long],
)
