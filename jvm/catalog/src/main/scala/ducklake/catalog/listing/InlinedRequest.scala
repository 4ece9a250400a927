package ducklake.catalog.listing

import ducklake.catalog.types.Column

/** What a listing does with the inlined rows of a table.
  *
  * @param columns the columns whose values are read: top-level columns of the table, pruned or not
  * @param limit the number of rows that suffices; None: all rows are read
  */
final case class InlinedRequest(
    columns: Vector[Column],
    limit: Option[Long],
    receiver: InlinedReceiver,
)

/** Takes inlined rows one after another while they are read, so that nobody has to hold all of
  * them.
  */
trait InlinedReceiver {

  /** Called before the first row. When a read is repeated because its connection was lost, this is
    * called again, and the rows before it do not count.
    */
  def begin(): Unit

  def add(row: InlinedRow): Unit
}

/** Keeps all rows. Only for callers that need every row at once. */
final class CollectedRows extends InlinedReceiver {
  private val collected = Vector.newBuilder[InlinedRow]

  def begin(): Unit = collected.clear()

  def add(row: InlinedRow): Unit = collected += row

  /** The rows in the order in which they were read. */
  def rows: Vector[InlinedRow] = collected.result()
}
