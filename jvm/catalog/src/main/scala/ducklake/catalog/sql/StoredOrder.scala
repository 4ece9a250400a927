package ducklake.catalog.sql

/** The order in which a database stores the rows of a table. A statement that has no index goes
  * through a very large table in parts of this order, in a transaction for each.
  *
  * Rows only move to lower positions, when the database closes gaps: a pass from the last position
  * to the first misses none.
  */
trait StoredOrder {

  /** Columns: the position after the last one. */
  def end(table: MetadataTable): Sql

  /** Whether a row of the table with this alias is at one of the positions.
    *
    * @param until exclusive
    */
  def isWithin(alias: String, from: Long, until: Long): Sql

  /** About how many rows are at each position. */
  def rowsEach: Int
}
