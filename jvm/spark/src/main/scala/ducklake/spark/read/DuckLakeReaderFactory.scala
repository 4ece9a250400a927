package ducklake.spark.read

import ducklake.spark.config.HadoopSettings
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.vector.InlinedBatches
import ducklake.spark.parquet.vector.RowPage
import ducklake.spark.sparkapi.sql.SessionSettings
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes the readers that read [[ScanTask]]s as batches.
  *
  * @param conf configuration from [[ReadHadoopConf]]; None when no task reads files
  */
final case class DuckLakeReaderFactory(
    spec: ReadSpec,
    conf: Option[Broadcast[TaskHadoopConf]],
    layout: BatchLayout,
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("lakes are read in batches")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case FilesTask(parts) => files(parts)
      case KeyedTask(FilesTask(parts), _) => files(parts)
      case InlinedTask(rows) => new InlinedReader(rows, spec, layout)
      case other => throw new IllegalArgumentException(s"not a task of ours: ${other.getClass}")
    }

  private def files(parts: Vector[FilePart]): PartitionReader[ColumnarBatch] =
    conf match {
      case Some(settings) => new FilesReader(parts, spec, settings.value.value, layout)
      case None => throw new IllegalStateException("files are read with Hadoop's settings")
    }
}

object DuckLakeReaderFactory {

  /** For tasks that read files, with the settings of the active session and of the catalog. */
  def forFiles(spec: ReadSpec, own: HadoopSettings): DuckLakeReaderFactory =
    forInlined(spec).copy(conf = Some(ReadHadoopConf.broadcast(SparkSession.active, own)))

  /** For tasks that read only inlined rows. Hadoop's settings are not sent to them. */
  def forInlined(spec: ReadSpec): DuckLakeReaderFactory =
    DuckLakeReaderFactory(
      spec,
      conf = None,
      BatchLayout(SessionSettings.batchRows, SessionSettings.isOffHeap),
    )
}

/** Reads parts of files, one after another. */
private final class FilesReader(
    parts: Vector[FilePart],
    spec: ReadSpec,
    conf: Configuration,
    layout: BatchLayout,
) extends PartitionReader[ColumnarBatch] {

  private val remaining = parts.iterator
  private var current: Option[FileBatches] = None
  private var batch: Option[ColumnarBatch] = None
  private var files = 0L
  private var bytes = 0L
  private var deleteFiles = 0L
  private var hiddenInClosedParts = 0L

  override def next(): Boolean = inTask {
    batch = nextBatch()
    batch.nonEmpty
  }

  override def get(): ColumnarBatch =
    batch.getOrElse(throw new NoSuchElementException("no batch is left"))

  override def close(): Unit = {
    batch = None
    closeCurrent()
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    Array(
      ReadMetrics.value(new FilesRead, files),
      ReadMetrics.value(new BytesRead, bytes),
      ReadMetrics.value(new DeleteFilesRead, deleteFiles),
      ReadMetrics.value(new RowsHidden, hiddenInClosedParts + current.fold(0L)(_.rowsHidden)),
    )

  @annotation.tailrec
  private def nextBatch(): Option[ColumnarBatch] =
    current.flatMap(_.next()) match {
      case Some(found) => Some(found)
      case None if remaining.hasNext =>
        closeCurrent()
        current = Some(open(remaining.next()))
        nextBatch()
      case None => None
    }

  private def open(part: FilePart): FileBatches = {
    files += 1
    bytes += part.length
    deleteFiles += part.deletes.size
    val deletes = FileBatches.deletedPositions(part, spec.snapshot, conf)
    FileBatches.open(part, spec, deletes, conf, layout)
  }

  private def closeCurrent(): Unit = {
    current.foreach { open =>
      hiddenInClosedParts += open.rowsHidden
      open.close()
    }
    current = None
  }
}

/** Reads the inlined rows that the task contains. */
private final class InlinedReader(page: RowPage, spec: ReadSpec, layout: BatchLayout)
    extends PartitionReader[ColumnarBatch] {

  private lazy val batches =
    new InlinedBatches(page.rows, spec.columns.map(_.sparkType), layout.rows)

  override def next(): Boolean = batches.advance()

  override def get(): ColumnarBatch = batches.batch

  override def close(): Unit = batches.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    Array(ReadMetrics.value(new InlinedRows, page.size.toLong))
}
