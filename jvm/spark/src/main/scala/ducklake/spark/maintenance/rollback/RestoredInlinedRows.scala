package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.flush.FlushSpec
import ducklake.spark.maintenance.flush.FlushWriter
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** Brings back inlined rows of a past snapshot, with their row ids.
  *
  * @param table at the past snapshot
  */
private[rollback] final class RestoredInlinedRows(
    session: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {

  /** The rows as inlined rows. When no inlined table can hold the table's columns, or one of the
    * values, all rows are written to files: an older inlined table, with fewer columns, had the
    * rows.
    *
    * Errors: InvalidValue, UnwritableFile. After an error all files are deleted.
    */
  def write(
      rows: Vector[InlinedRow],
      conf: => Configuration,
  ): Either[Vector[NewDataFile], Vector[NewInlinedRow]] =
    if (rows.isEmpty || canInline(rows))
      Right(rows.map(row => NewInlinedRow(Some(row.rowId), row.values)))
    else {
      val spec = FlushSpec.of(table, table.columns, config).copy(lineage = FlushSpec.RowIds)
      Left(FlushWriter.write(spec, rows.map(version), Vector.empty, conf).map(_.file))
    }

  private def canInline(rows: Vector[InlinedRow]): Boolean =
    base.mayInline(table.columns) &&
      rows.forall(row => session.lake.canInline(table.columns, row.values))

  private val keys = FlushSpec.keyColumns(table).map(column => table.columns.indexOf(column))

  private def version(row: InlinedRow): RowVersion =
    RowVersion(row.rowId, row.begin, None, row.values, keys.map(key => Some(row.values(key))))
}
