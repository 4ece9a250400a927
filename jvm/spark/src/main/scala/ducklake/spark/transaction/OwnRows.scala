package ducklake.spark.transaction

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.staged.StagedRow
import ducklake.catalog.staged.StagedTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.flush.FlushSpec
import ducklake.spark.maintenance.flush.FlushWriter
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration

/** Writes the own inlined rows of a transaction to files when the catalog cannot keep them, because
  * the transaction has given their table other columns since.
  */
private[transaction] final class OwnRows(
    lake: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {

  /** The table as it is committed.
    *
    * @param noted is called with all files that were written
    *
    * Errors: InvalidValue, UnwritableFile. After an error the files are deleted.
    */
  def of(own: StagedTable, conf: => Configuration, noted: WrittenFiles => Unit): StagedTable =
    if (own.rows.isEmpty || canInline(own.rows)) own
    else {
      val (fresh, versions) = own.rows.partition(row => UncommittedIds.contains(row.rowId))
      val spec = FlushSpec.of(table, table.columns, config)
      def write(rows: Vector[StagedRow], spec: FlushSpec): Vector[NewDataFile] = {
        val files = FlushWriter.write(spec, rows.map(version), Vector.empty, conf).map(_.file)
        noted(WrittenFiles(files.map(spec.hadoopDirectory + _.path)))
        files
      }
      own.withRowsIn(
        write(fresh, spec.copy(lineage = Vector.empty)) ++
          write(versions.sortBy(_.rowId), spec.copy(lineage = FlushSpec.RowIds))
      )
    }

  private def canInline(rows: Vector[StagedRow]): Boolean =
    base.mayInline(table.columns) && rows.forall(row =>
      lake.lake.canInline(table.columns, row.values)
    )

  private val keys = FlushSpec.keyColumns(table).map(column => table.columns.indexOf(column))

  private def version(row: StagedRow): RowVersion = {
    val ofKeys = keys.map(key => Some(row.values(key)))
    RowVersion(row.rowId, base.snapshot.id, None, row.values, ofKeys)
  }
}
