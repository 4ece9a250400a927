package ducklake.spark.transaction

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.model.LakeTable
import ducklake.catalog.staged.StagedFile
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

/** Writes files of a transaction with dead rows again, without these rows. A row that begins and
  * ends in one snapshot would be an update that never was in DuckDB's change feed.
  */
private[transaction] final class LiveRows(
    lake: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {
  private val directory = PathResolver.hadoopPath(table.directory)

  /** The files without dead rows, in the same order.
    *
    * @param noted is called with all files that may be written, before the first is written
    *
    * Errors: errors of tasks; StatementInterrupted.
    */
  def of(files: Vector[StagedFile], noted: WrittenFiles => Unit): Vector[NewDataFile] = {
    val inputs = files.zipWithIndex.collect {
      case (file, number) if file.dead.nonEmpty => input(file, number)
    }
    if (inputs.isEmpty) files.map(_.file)
    else {
      noted(WrittenFiles(inputs.flatMap(_.paths).map(directory + _)))
      var written = Map.empty[Int, NewDataFile]
      val description = s"Committing a transaction: files of ${table.qualifiedName}"
      CompactionJob.run(
        lake,
        description,
        spec,
        inputs,
        output => written ++= output.written.map(one => output.number -> one.file),
      )
      files.zipWithIndex.map { case (file, number) =>
        written.get(number).fold(file.file)(_.copy(rowIds = file.file.rowIds))
      }
    }
  }

  private def spec: CompactionSpec =
    CompactionSpec(
      table.qualifiedName,
      directory,
      base.snapshot.id.value,
      Map.empty,
      lake.timeRule,
      config,
      BatchLayout.ofSession(),
      keepsSnapshots = false,
      LossRefusal("Committing", "Delete and insert such rows in two transactions."),
    )

  private def input(file: StagedFile, number: Int): CompactionInput =
    CompactionInput(
      number,
      ScanPlanner.parts(file.listed(table), table.qualifiedName, LiveRows.Whole),
      table.columns,
      file.file.path.take(file.file.path.lastIndexOf('/') + 1),
      AttemptNames.next(FileNames.dataFile()),
      file.file.partition,
      firstRowId = None,
      sort = Vector.empty,
      areNew = file.file.rowIds == RowIds.Fresh,
    )
}

private object LiveRows {
  private val Whole = ScanPlanner.Sizes(Long.MaxValue, 0)
}
