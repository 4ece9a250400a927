package ducklake.spark.testkit

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.errors.DuckLakeTaskException
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.read.DuckLakeReaderFactory
import ducklake.spark.read.FilesTask
import ducklake.spark.read.ScanTask
import ducklake.spark.sparkapi.task.TaskHadoopConf
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.io.LocalInputFile
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import java.nio.file.Files
import java.nio.file.Path

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters.*
import scala.reflect.ClassTag
import scala.util.Try
import scala.util.Using

/** Runs tasks as an executor does, without a session, and gives their rows. */
object TaskRows {

  val head: Long = 100L

  private final class Here[T: ClassTag](held: T) extends Broadcast[T](0L) {
    override protected def getValue(): T = held
    override protected def doUnpersist(blocking: Boolean): Unit = ()
    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  def broadcast[T: ClassTag](held: T): Broadcast[T] = new Here(held)

  def column(
      id: Long,
      name: String,
      dataType: LakeType,
      children: Vector[Column] = Vector.empty,
      initialDefault: Option[String] = None,
  ): Column =
    Column(ColumnId(id), name, dataType, nullsAllowed = true, initialDefault, None, None, children)

  def data(column: Column): ReadColumn =
    ReadColumn.Data(column, SparkTypes.of(column, SparkTypes.TimeRule.AsString))

  def spec(columns: ReadColumn*): ReadSpec =
    ReadSpec(columns.toVector, Vector.empty, head, Map.empty)

  def part(file: Path): FilePart = {
    val size = Files.size(file)
    FilePart(
      id = 1L,
      path = s"file:$file",
      filename = file.toString,
      table = "main.t",
      sizeBytes = size,
      start = 0L,
      length = size,
      recordCount = rowsIn(file),
      rowIdStart = Some(0L),
      begin = 1L,
      visibility = RowVisibility.All,
      mapping = None,
      constants = Map.empty,
      deletes = Vector.empty,
      inlinedDeletes = Array.emptyLongArray,
    )
  }

  /** 0 when it is no Parquet file that can be read without a key. */
  private def rowsIn(file: Path): Long =
    Try(Using.resource(ParquetFileReader.open(new LocalInputFile(file)))(_.getRecordCount))
      .getOrElse(0L)

  def of(spec: ReadSpec, parts: FilePart*): Vector[Seq[Any]] =
    ofTask(spec, FilesTask(parts.toVector), batchRows = 4096)

  /** Rows as Scala values of Spark's Row form; rows inside are sequences too. */
  def ofTask(spec: ReadSpec, task: ScanTask, batchRows: Int): Vector[Seq[Any]] = {
    val converters = spec.columns.map { column =>
      CatalystTypeConverters.createToScalaConverter(column.sparkType)
    }
    read(spec, task, batchRows, converters)
  }

  /** Rows of a file in Spark's internal form, which has values that Scala's has not. */
  def internal(spec: ReadSpec, part: FilePart): Vector[Seq[Any]] =
    read(spec, FilesTask(Vector(part)), 4096, spec.columns.map(_ => InternalRow.copyValue(_)))

  private def read(
      spec: ReadSpec,
      task: ScanTask,
      batchRows: Int,
      converters: Vector[Any => Any],
  ): Vector[Seq[Any]] = {
    val conf = new Here(new TaskHadoopConf(ReadHadoopConf.complete(new Configuration)))
    val factory = DuckLakeReaderFactory(spec, Some(conf), BatchLayout(batchRows, isOffHeap = false))
    val reader = factory.createColumnarReader(task)
    val types = spec.columns.map(_.sparkType)
    val rows = ArrayBuffer.empty[Seq[Any]]
    try
      while (advance(reader))
        reader.get().rowIterator().asScala.foreach { row =>
          rows += types.indices.map { index =>
            if (row.isNullAt(index)) null else converters(index)(row.get(index, types(index)))
          }
        }
    finally reader.close()
    rows.toVector
  }

  /** A failure as our own error, without Spark's wrapping. */
  private def advance(reader: PartitionReader[ColumnarBatch]): Boolean =
    try reader.next()
    catch { case failure: DuckLakeTaskException => throw new LakeException(failure.error) }
}
