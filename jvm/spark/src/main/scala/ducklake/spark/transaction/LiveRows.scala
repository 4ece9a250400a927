package ducklake.spark.transaction

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.staged.Positions
import ducklake.catalog.staged.StagedFile
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MappingId
import ducklake.files.delete.DeleteFileCache
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactionInput
import ducklake.spark.maintenance.rows.CompactionJob
import ducklake.spark.maintenance.rows.CompactionSpec
import ducklake.spark.maintenance.rows.LossRefusal
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.read.ScanPlanner
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles

/** Writes files of a transaction again that cannot be committed as they are: files with dead rows,
  * without these rows, because a row that begins and ends in one snapshot would be an update that
  * never was in DuckDB's change feed; and files with lost columns, with the columns that the table
  * has now.
  */
private[transaction] final class LiveRows(
    lake: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {
  private val directory = PathResolver.hadoopPath(table.directory)

  /** The files as they are committed, in the same order.
    *
    * @param lost the files with lost columns, see `StagedLake.filesOfLostColumns`
    * @param noted is called with all files that may be written, before the first is written
    *
    * Errors: errors of tasks; StatementInterrupted.
    */
  def of(
      files: Vector[StagedFile],
      lost: Set[DataFileId],
      noted: WrittenFiles => Unit,
  ): Vector[StagedFile] = {
    def shape(file: StagedFile): LakeTable =
      if (lost(file.id)) file.table.copy(columns = table.columns) else file.table
    val inputs = files.zipWithIndex.collect {
      case (file, number) if file.dead.nonEmpty || lost(file.id) =>
        input(file, number, shape(file).columns)
    }
    val mappings = files.flatMap(_.registered).flatMap(_.mapping).map(known => known.id -> known)
    if (inputs.isEmpty) files
    else {
      noted(WrittenFiles(inputs.flatMap(_.paths).map(directory + _)))
      var written = Map.empty[Int, NewDataFile]
      val description = s"Committing a transaction: files of ${table.qualifiedName}"
      CompactionJob.run(
        lake,
        description,
        spec(mappings.toMap),
        inputs,
        output => written ++= output.written.map(one => output.number -> one.file),
      )
      files.zipWithIndex.map { case (file, number) =>
        written.get(number).fold(file) { found =>
          val copied = found.copy(rowIds = file.file.rowIds)
          file.copy(file = copied, table = shape(file), registered = None, dead = Positions.none)
        }
      }
    }
  }

  private def spec(mappings: Map[MappingId, NameMapping]): CompactionSpec =
    CompactionSpec(
      table.qualifiedName,
      directory,
      base.snapshot.id.value,
      lastDelete = DeleteFileCache.EverySnapshot,
      mappings,
      lake.timeRule,
      config,
      BatchLayout.ofSession(),
      keepsSnapshots = false,
      LossRefusal("Committing", "Delete and insert such rows in two transactions."),
    )

  private def input(file: StagedFile, number: Int, columns: Vector[Column]): CompactionInput =
    CompactionInput(
      number,
      ScanPlanner.parts(file.listed(columns), table.qualifiedName, LiveRows.Whole),
      columns,
      folder(file),
      AttemptNames.next(FileNames.dataFile()),
      file.file.partition,
      firstRowId = None,
      sort = Vector.empty,
      areNew = file.file.rowIds == RowIds.Fresh,
    )

  /** The folder of the new file below the table's folder. */
  private def folder(file: StagedFile): String =
    if (file.registered.nonEmpty) ""
    else file.file.path.take(file.file.path.lastIndexOf('/') + 1)
}

private object LiveRows {
  private val Whole = ScanPlanner.Sizes(Long.MaxValue, 0)
}
