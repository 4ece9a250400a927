package ducklake.spark.read

import ducklake.catalog.model.Column
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.read.InlinedRow
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The rows of a scan that lie in the catalog database. */
private[read] final case class InlinedPart(rows: Vector[InlinedRow]) {

  /** The rows that may match.
    *
    * Errors: `InvalidValue` for what Spark's types cannot hold; so it is made only to be read.
    */
  def task(request: ScanRequest): Option[InlinedTask] = {
    val wanted = rows.filter(InlinedPart.mayMatch(request, _))
    Option.when(wanted.nonEmpty)(InlinedTask(wanted.map(InlinedPart.toInternal(request, _))))
  }
}

private[read] object InlinedPart {

  /** Rows in the catalog have no place in a file: SQL's NULL. */
  private val noPosition: Any = Option.empty[AnyRef].orNull

  /** The columns whose values are needed. */
  def columns(request: ScanRequest): Vector[Column] =
    request.columns.collect { case ReadColumn.Data(column, _) => column }

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
