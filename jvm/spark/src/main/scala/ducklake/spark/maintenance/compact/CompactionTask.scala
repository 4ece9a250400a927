package ducklake.spark.maintenance.compact

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.RowIds
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.files.FileFailure
import ducklake.files.Storage
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.ParquetRows
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.FirstColumns
import ducklake.spark.sparkapi.TaskAttempt
import ducklake.spark.sparkapi.TaskSort
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkTypes
import ducklake.spark.write.EmbeddedColumns
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

import scala.util.control.NonFatal

/** Writes the live rows of some files to one file, in a task. Each row keeps its row id and, where
  * the compaction says so, its first snapshot.
  *
  * @param settings Hadoop's settings; they are not changed
  */
private[compact] final class CompactionTask(
    spec: CompactionSpec,
    input: CompactionInput,
    settings: Configuration,
) {

  private val readConf = ReadHadoopConf.complete(new Configuration(settings))
  private val embedsRowIds =
    !spec.keepsSnapshots || input.firstRowId.isEmpty || input.sort.nonEmpty || input.parts.exists(
      FileBatches.embedRowIds(_, readConf)
    )
  private val mayLose = input.columns.exists(LostValues.mayBeIn)

  // The columns that are written, and behind them the column that tells of a loss.
  private val written = input.columns ++
    Option.when(embedsRowIds)(EmbeddedColumns.rowId) ++
    Option.when(spec.keepsSnapshots)(EmbeddedColumns.snapshotId)
  private val readSpec = ReadSpec(
    input.columns.map(c => ReadColumn.Data(c, SparkTypes.of(c, spec.rule))) ++
      Option.when(embedsRowIds)(ReadColumn.RowId) ++
      Option.when(spec.keepsSnapshots)(ReadColumn.SnapshotOfRow) ++
      Option.when(mayLose)(ReadColumn.Loss),
    Vector.empty,
    spec.snapshot,
    spec.mappings,
    input.columns.map(_.id),
  )
  private val snapshotAt = written.size - 1
  private val lossAt = written.size

  // One task, one thread.
  private var first = Long.MaxValue
  private var last = Long.MinValue

  /** Errors: UnreadableFile, UnwritableFile, InvalidValue; Unsupported for a value that Spark cannot
    * carry. Then the written file is deleted.
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

  private def described(path: String, rows: ParquetRows): CompactedFile =
    CompactedFile(
      NewDataFile(
        path,
        rows.recordCount,
        rows.sizeBytes,
        rows.footerSize,
        RowIds.Embedded,
        input.partition,
        rows.statistics(),
      ),
      if (embedsRowIds) None else input.firstRowId,
      Option.when(spec.keepsSnapshots)(SnapshotRange(SnapshotId(first), SnapshotId(last))),
    )

  private def write(full: String): ParquetRows = {
    val columns = ColumnConverters.of(written, spec.rule)
    val conf = WriteHadoopConf.forRows(settings, spec.config, columns.rowType)
    val rows = FileFailure.writing(full, spec.table) {
      new ParquetRows(full, columns, spec.config, conf)
    }
    def write(row: InternalRow): Unit =
      // A plain `try`, because it runs for every row.
      try rows.write(row)
      catch { case NonFatal(cause) => throw FileFailure.unwritable(full, spec.table, cause) }
    try if (input.sort.isEmpty) input.parts.foreach(read(_, write)) else writeSorted(write)
    finally FileFailure.writing(full, spec.table)(rows.close())
    rows
  }

  private def writeSorted(write: InternalRow => Unit): Unit = {
    val types = written.map(c => StructField(c.name, SparkTypes.of(c, spec.rule)))
    val sort = new TaskSort(StructType(types), input.sort)
    try {
      input.parts.foreach(read(_, sort.add))
      sort.sorted().foreach(write)
    } finally sort.close()
  }

  /** Gives each live row of the file to `take`, without the column that tells of a loss. */
  private def read(part: FilePart, take: InternalRow => Unit): Unit = {
    val deletes = FileBatches.deletedPositions(part, spec.snapshot, readConf)
    val batches = FileBatches.open(part, readSpec, deletes, readConf, spec.layout)
    val shown = new FirstColumns(written.size)
    try
      Iterator.continually(batches.next()).takeWhile(_.nonEmpty).flatten.foreach { batch =>
        val each = batch.rowIterator()
        // A plain loop, because it runs for every row.
        while (each.hasNext) {
          val row = each.next()
          if (mayLose && row.getLong(lossAt) != 0) refuseLoss(row.getLong(lossAt))
          if (spec.keepsSnapshots) {
            val snapshot = row.getLong(snapshotAt)
            first = math.min(first, snapshot)
            last = math.max(last, snapshot)
          }
          take(if (mayLose) shown.of(row) else row)
        }
      }
    finally batches.close()
  }

  private def refuseLoss(column: Long): Nothing = {
    val name = input.columns.find(_.id.value == column).fold(column.toString)(_.name)
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Compacting a row of ${spec.table} whose value of column `$name` Spark cannot carry " +
          "(nanoseconds, the offset of a time, or a value inside a variant)",
        "Compact the files of this table with DuckDB.",
      )
    )
  }
}
