package ducklake.spark.maintenance.rows

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId
import ducklake.files.io.FileFailure
import ducklake.files.io.WholeFile
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.ParquetRowWriter
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.task.FirstColumns
import ducklake.spark.sparkapi.task.TaskSort
import ducklake.spark.types.LostValues
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

import scala.util.control.NonFatal

/** Writes the live rows of some files to one file through Spark's types. A value that they cannot
  * carry is refused.
  */
private[maintenance] final class SparkRowWriter(
    spec: CompactionSpec,
    input: CompactionInput,
    target: WrittenColumns,
    settings: Configuration,
    readConf: Configuration,
) {

  private val mayLose = input.columns.exists(LostValues.mayBeIn)
  private val written = target.all

  // The columns that are written, and after them the column that marks a loss.
  private val readSpec = ReadSpec(
    input.columns.map(c => ReadColumn.Data(c, SparkTypes.of(c, spec.rule))) ++
      Option.when(target.embedsRowIds)(ReadColumn.RowId) ++
      Option.when(target.embedsSnapshots)(ReadColumn.SnapshotOfRow) ++
      Option.when(mayLose)(ReadColumn.Loss),
    Vector.empty,
    spec.snapshot,
    spec.mappings,
    input.columns.map(_.id),
  )
  private val snapshotAt = written.size - 1
  private val lossAt = written.size

  // For one task and one thread.
  private var first = Long.MaxValue
  private var last = Long.MinValue

  /** Errors: UnreadableFile, UnwritableFile, InvalidValue; Unsupported for a value that Spark
    * cannot carry. The caller deletes the file then.
    */
  def write(path: String): WrittenRows = {
    val rows = writeAll(path)
    WrittenRows(
      rows.recordCount,
      rows.physical,
      rows.statistics(),
      target.embedsRowIds,
      Option.when(target.embedsSnapshots)(SnapshotRange(SnapshotId(first), SnapshotId(last))),
    )
  }

  private def writeAll(full: String): ParquetRowWriter = {
    val columns = ColumnConverters.of(written, spec.rule)
    val conf = WriteHadoopConf.forRows(settings, spec.config, columns.rowType)
    val rows = FileFailure.writing(full, spec.table) {
      new ParquetRowWriter(full, columns, spec.config, conf)
    }
    def write(row: InternalRow): Unit =
      // A plain `try`, because it runs for every row.
      try rows.write(row)
      catch { case NonFatal(cause) => throw FileFailure.unwritable(full, spec.table, cause) }
    WholeFile.written(rows.abort(), FileFailure.writing(full, spec.table)(rows.close())) {
      if (input.sort.isEmpty) input.parts.foreach(read(_, write)) else writeSorted(write)
    }
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

  /** Gives each live row of the file to `take`, without the column that marks a loss. */
  private def read(part: FilePart, take: InternalRow => Unit): Unit = {
    val deletes = input.deletes(part, spec.lastDelete, readConf)
    val batches = FileBatches.open(part, readSpec, deletes, readConf, spec.layout)
    val shown = new FirstColumns(written.size)
    try
      Iterator.continually(batches.next()).takeWhile(_.nonEmpty).flatten.foreach { batch =>
        val each = batch.rowIterator()
        // A plain loop, because it runs for every row.
        while (each.hasNext) {
          val row = each.next()
          if (mayLose && row.getLong(lossAt) != 0) refuseLoss(row.getLong(lossAt))
          if (target.embedsSnapshots) {
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
        s"${spec.refusal.action} a row of ${spec.table} whose value of column `$name` Spark " +
          "cannot carry (nanoseconds, the offset of a time, or a value inside a variant)",
        spec.refusal.hint,
      )
    )
  }
}

private[maintenance] object SparkRowWriter {

  /** Errors: Unsupported for a column of a type that Spark does not have. */
  def refuseUnreadable(table: String, columns: Vector[Column], refusal: LossRefusal): Unit =
    for {
      column <- columns
      text <- SparkTypes.unreadable(column).headOption
    } throw new LakeException(
      LakeError.Unsupported(
        s"${refusal.action} rows of $table, whose column `${column.name}` is of type $text,",
        refusal.hint,
      )
    )
}
