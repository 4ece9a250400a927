package ducklake.spark.read

import ducklake.catalog.model.Column
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.read.InlinedRow
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.vector.PackedRows
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The inlined rows of a scan: the rows that the catalog database holds. */
private[read] final case class InlinedPart(rows: Vector[InlinedRow]) {

  /** A task with the rows that may match; None when there are none.
    *
    * Errors: `InvalidValue` for a value that Spark's types cannot hold. So the task is made only
    * for a scan that is executed.
    */
  def task(request: ScanRequest): Option[InlinedTask] = {
    val wanted = rows.iterator.filter(InlinedPart.mayMatch(request, _))
    Option.when(wanted.hasNext) {
      val cells = InlinedPart.cells(request)
      val internal = wanted.map(row => new GenericInternalRow(cells.map(_(row))))
      InlinedTask(PackedRows.of(internal, request.columns.map(_.sparkType)))
    }
  }
}

private[read] object InlinedPart {

  /** NULL: inlined rows have no position in a file. */
  private val noPosition: Any = Option.empty[AnyRef].orNull

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
        case ReadColumn.Data(column, sparkType) =>
          val index = indexes.next()
          row => SparkValues.internal(row.values(index), column, sparkType)
        case ReadColumn.RowId => _.rowId
        case ReadColumn.SnapshotOfRow => _.begin.value
        case ReadColumn.FileName => row => UTF8String.fromString(row.table)
        case ReadColumn.FileRowNumber => _ => noPosition
        case ReadColumn.FileId => _ => ReadColumn.FileId.NoFile
        case ReadColumn.PositionInFile => _.rowId
        case ReadColumn.Loss => lossOf(request, _)
      }
      .toArray
  }

  private def mayMatch(request: ScanRequest, row: InlinedRow): Boolean =
    request.predicates.isEmpty || {
      val values = columns(request).map(_.id).zip(row.values).toMap
      request.predicates.forall(StatsPruning.mayMatchRow(_, values.get))
    }

  private def lossOf(request: ScanRequest, row: InlinedRow): Long =
    columns(request)
      .zip(row.values)
      .collectFirst { case (column, value) if LostValues.isIn(value, column) => column.id.value }
      .getOrElse(0L)
}
