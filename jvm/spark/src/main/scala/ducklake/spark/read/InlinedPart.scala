package ducklake.spark.read

import ducklake.catalog.read.FileListing
import ducklake.catalog.read.InlinedRow
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The rows of a scan that lie in the catalog database. */
private[read] final case class InlinedPart(rows: Vector[InlinedRow]) {

  /** Errors: `InvalidValue` for what Spark's types cannot hold; so it is made only to be read. */
  def task(request: ScanRequest): Option[InlinedTask] =
    Option.when(rows.nonEmpty)(InlinedTask(rows.map(InlinedPart.toInternal(request, _))))
}

private[read] object InlinedPart {

  /** Rows in the catalog have no place in a file: SQL's NULL. */
  private val noPosition: Any = Option.empty[AnyRef].orNull

  def read(request: ScanRequest, listing: FileListing): InlinedPart =
    if (listing.inlinedTables.isEmpty) InlinedPart(Vector.empty)
    else {
      val data = request.columns.collect { case d: ReadColumn.Data => d.column }
      InlinedPart(request.table.snapshot.inlinedRows(request.table.table, data))
    }

  private def toInternal(request: ScanRequest, row: InlinedRow): InternalRow = {
    val values = row.values.iterator
    val cells = request.columns.map[Any] {
      case ReadColumn.Data(column, sparkType) =>
        SparkValues.internal(values.next(), column, sparkType)
      case ReadColumn.RowId => row.rowId
      case ReadColumn.SnapshotOfRow => row.begin.value
      case ReadColumn.FileName => UTF8String.fromString(row.table)
      case ReadColumn.FileRowNumber => noPosition
      case ReadColumn.FileId => ReadColumn.FileId.NoFile
      case ReadColumn.PlaceInFile => row.rowId
      case ReadColumn.Loss => lossOf(request, row)
    }
    new GenericInternalRow(cells.toArray)
  }

  private def lossOf(request: ScanRequest, row: InlinedRow): Long =
    request.columns
      .collect { case ReadColumn.Data(column, _) => column }
      .zip(row.values)
      .collectFirst { case (column, value) if LostValues.isIn(value, column) => column.id.value }
      .getOrElse(0L)
}
