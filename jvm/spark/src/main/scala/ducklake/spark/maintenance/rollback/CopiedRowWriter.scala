package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.MappingId
import ducklake.files.delete.CompressedPositions
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactionInput
import ducklake.spark.maintenance.rows.CompactionJob
import ducklake.spark.maintenance.rows.CompactionOutput
import ducklake.spark.maintenance.rows.CompactionSpec
import ducklake.spark.maintenance.rows.LossRefusal
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.read.ScanPlanner
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles

/** Copies rows of a past snapshot to new files without Spark's types, with their row ids, as
  * `rewrite_data_files` does (decision 14).
  *
  * @param table at the past snapshot
  * @param isWritten gets each file that a task has written, also when others fail
  */
private[rollback] final class CopiedRowWriter(
    lake: SessionLake,
    table: LakeTable,
    past: LakeSnapshot,
    mappings: Map[MappingId, NameMapping],
    config: WriteConfig,
    isWritten: NewDataFile => Unit,
) {
  private val directory = PathResolver.hadoopPath(table.directory)

  /** Writes the new files.
    *
    * @param files with the positions of the rows; None: all rows that are visible
    *
    * Errors: the errors of `CompactionTask`; StatementInterrupted. After an error all files are
    * deleted.
    */
  def write(files: Vector[(DataFile, Option[CompressedPositions])]): Vector[NewDataFile] = {
    val inputs = groups(files).zipWithIndex.map { case (group, number) => input(group, number) }
    var outputs = Vector.empty[CompactionOutput]
    val take = (output: CompactionOutput) => {
      output.written.foreach(written => isWritten(written.file))
      outputs :+= output
    }
    try
      CompactionJob.run(lake, s"rollback of ${table.qualifiedName}", spec, inputs, take)
    catch {
      case failure: Throwable =>
        WrittenFiles(inputs.flatMap(_.paths).map(directory + _)).delete(lake.config.hadoop)
        throw failure
    }
    outputs.sortBy(_.number).flatMap(_.written).map(_.file)
  }

  private def spec: CompactionSpec =
    CompactionSpec(
      table.qualifiedName,
      directory,
      past.snapshot.id.value,
      lastDelete = past.snapshot.id.value,
      mappings,
      lake.timeRule,
      config,
      BatchLayout.ofSession(),
      keepsSnapshots = false,
      LossRefusal("Copying", "Insert such rows with DuckDB from the past snapshot."),
    )

  /** Files of one folder and partition that become one file of the target size. */
  private def groups(
      files: Vector[(DataFile, Option[CompressedPositions])]
  ): Vector[Vector[(DataFile, Option[CompressedPositions])]] = {
    val together = files.groupBy { case (file, _) => (folder(file), values(file), file.mapping) }
    val sizes = ScanPlanner.Sizes(config.targetFileSize, 0)
    together.values.toVector
      .sortBy(_.head._1.id.value)
      .flatMap(ScanPlanner.packBy(_, sizes) { case (file, rows) =>
        val share = rows.fold(1.0)(_.size.toDouble / math.max(1L, file.recordCount))
        (file.sizeBytes * share).toLong
      })
  }

  private def input(
      group: Vector[(DataFile, Option[CompressedPositions])],
      number: Int,
  ): CompactionInput =
    CompactionInput(
      number,
      group.map { case (file, rows) => part(file, rows) },
      table.columns,
      folder(group.head._1),
      AttemptNames.next(FileNames.dataFile()),
      values(group.head._1),
      firstRowId = None,
      sort = Vector.empty,
      chosen = group.collect { case (file, Some(rows)) =>
        file.id.value -> rows
      }.toMap,
    )

  /** The chosen positions of a file determine which rows are visible. */
  private def part(file: DataFile, rows: Option[CompressedPositions]): FilePart = {
    val whole = ScanPlanner.Sizes(Long.MaxValue, 0)
    val visible = if (rows.isEmpty) file else file.copy(visibility = RowVisibility.All)
    ScanPlanner.parts(visible, table.qualifiedName, whole).head
  }

  /** None for a file of other partition keys: its rows may belong to several partitions. */
  private def values(file: DataFile): Option[Vector[Option[String]]] =
    file.partition
      .filter(of => table.partition.map(_.id).contains(of.id))
      .map(_.values.toVector.sortBy(_._1).map(_._2))

  /** The folder of a file below the table's folder; its rows go to the same folder. */
  private def folder(file: DataFile): String = CopySource.of(file, table).folder
}
