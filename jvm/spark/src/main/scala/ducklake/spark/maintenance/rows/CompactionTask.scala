package ducklake.spark.maintenance.rows

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.files.io.Storage
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration

/** Writes the live rows of some files to one file, in a task. Each row keeps its row id and, if the
  * compaction keeps snapshots, its first snapshot.
  *
  * @param settings Hadoop's settings; they are not changed
  */
private[maintenance] final class CompactionTask(
    spec: CompactionSpec,
    input: CompactionInput,
    settings: Configuration,
) {

  /** Errors: UnreadableFile, UnwritableFile, InvalidValue; Unsupported for a column or a value that
    * Spark cannot carry and that cannot be copied without Spark's types. Then the written file is
    * deleted.
    */
  def run(): CompactionOutput = {
    val path = input.path(TaskAttempt.number)
    val full = spec.directory + path
    TaskAttempt.onLoss(Storage.discard(Vector(full), settings))
    try {
      val rows = write(full)
      if (rows.recordCount == 0) Storage.discard(Vector(full), settings)
      CompactionOutput(input.number, Option.when(rows.recordCount > 0)(described(path, rows)))
    } catch {
      case failure: Throwable =>
        Storage.discard(Vector(full), settings)
        throw failure
    }
  }

  private def write(full: String): WrittenRows = {
    val keys = input.sort.map { case (at, _) => input.columns(at) }
    SparkRowWriter.refuseUnreadable(spec.table, keys, spec.refusal)
    val readConf = ReadHadoopConf.complete(new Configuration(settings))
    val files = ExactRowWriter.sources(spec, input, readConf)
    val embedsRowIds = !input.areNew && (!spec.keepsSnapshots || input.firstRowId.isEmpty ||
      input.sort.nonEmpty || files.embedRowIds)
    val written = WrittenColumns(input.columns, embedsRowIds, spec.keepsSnapshots)
    new ExactRowWriter(spec, input, written, files, settings, readConf).write(full).getOrElse {
      SparkRowWriter.refuseUnreadable(spec.table, input.columns, spec.refusal)
      new SparkRowWriter(spec, input, written, settings, readConf).write(full)
    }
  }

  private def described(path: String, rows: WrittenRows): CompactedFile =
    CompactedFile(
      NewDataFile(
        path,
        rows.recordCount,
        rows.physical,
        RowIds.Embedded,
        input.partition,
        rows.statistics,
      ),
      if (rows.embedsRowIds) None else input.firstRowId,
      rows.span,
    )
}
