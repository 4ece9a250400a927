package ducklake.catalog.change.operation

/** What a commit reads about a table before it plans an operation on the table. */
sealed trait TableNeed

object TableNeed {

  /** The table statistics, for operations that add rows. */
  case object Statistics extends TableNeed

  /** The stored order of the live columns. */
  case object ColumnOrders extends TableNeed

  /** The inlined tables. */
  case object InlinedTables extends TableNeed

  /** Whether the table of inlined deletes exists. */
  case object InlinedDeletes extends TableNeed

  /** Whether there are live files, and in which inlined tables there are live rows. */
  case object LiveRows extends TableNeed

  /** The name mappings. */
  case object Mappings extends TableNeed
}
