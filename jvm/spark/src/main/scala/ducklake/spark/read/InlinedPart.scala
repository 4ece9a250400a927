package ducklake.spark.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.vector.RowPages
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The inlined rows of a scan: the rows that the catalog database holds and that may match. They
  * are packed into pages while they are read.
  */
private[read] final class InlinedPart(request: ScanRequest) extends InlinedReceiver {
  private val cells = InlinedPart.cells(request)
  private val indexes = InlinedPart.columns(request).map(_.id).zipWithIndex.toMap
  private lazy val pages = new RowPages(request.columns.map(_.inlinedType))

  def begin(): Unit = if (size > 0) pages.clear()

  def add(row: InlinedRow): Unit =
    if (mayMatch(row)) pages.add(new GenericInternalRow(cells.map(_(row)))): Unit

  /** The number of rows. */
  def size: Long = pages.size

  /** A task for each page.
    *
    * Errors: `InvalidValue` for a value that Spark's types cannot hold. So the tasks are made only
    * for a scan that is executed.
    */
  def tasks: Vector[InlinedTask] = pages.all.map(InlinedTask(_))

  private def mayMatch(row: InlinedRow): Boolean =
    request.predicates.isEmpty || {
      def value(of: ColumnId): Option[Literal] = indexes.get(of).map(row.values)
      request.predicates.forall(StatsPruning.mayMatchRow(_, value))
    }
}

private[read] object InlinedPart {

  /** Inlined rows have no position in a file, and rows of an open transaction no snapshot. */
  private val absent: Any = Option.empty[AnyRef].orNull

  /** The columns of the table whose values the scan needs. */
  def columns(request: ScanRequest): Vector[Column] =
    request.columns.collect { case ReadColumn.Data(column, _) => column }

  /** For each column of the scan a function that takes the column's value from a row. The functions
    * are made once and not for each row.
    */
  private def cells(request: ScanRequest): Array[InlinedRow => Any] = {
    val indexes = Iterator.from(0)
    request.columns
      .map[InlinedRow => Any] {
        case data @ ReadColumn.Data(column, _) =>
          val index = indexes.next()
          row => SparkValues.internal(present(row, index, column), column, data.inlinedType)
        case ReadColumn.RowId => _.rowId
        case ReadColumn.SnapshotOfRow =>
          row => if (UncommittedIds.contains(row.begin.value)) absent else row.begin.value
        case ReadColumn.FileName => row => UTF8String.fromString(row.table)
        case ReadColumn.FileRowNumber => _ => absent
        case ReadColumn.FileId => _ => ReadColumn.FileId.NoFile
        case ReadColumn.PositionInFile => _.rowId
        case ReadColumn.Loss => lossOf(request, _)
      }
      .toArray
  }

  /** The value of a row. Spark would take NULL for a value where a column is NOT NULL. */
  private def present(row: InlinedRow, index: Int, column: Column): Literal = {
    val value = row.values(index)
    if (value == Literal.Null && !column.nullsAllowed)
      SparkErrors.raise(
        LakeError.InvalidValue(
          column.name,
          "NULL",
          "NOT NULL",
          s"the row ${row.rowId} of ${row.table} has it; ALTER TABLE … ALTER COLUMN … DROP NOT NULL " +
            "makes the rows readable",
        )
      )
    value
  }

  private def lossOf(request: ScanRequest, row: InlinedRow): Long =
    columns(request)
      .zip(row.values)
      .collectFirst { case (column, value) if LostValues.isIn(value, column) => column.id.value }
      .getOrElse(0L)
}
