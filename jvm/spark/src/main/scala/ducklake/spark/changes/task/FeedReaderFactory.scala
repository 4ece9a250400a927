package ducklake.spark.changes.task

import ducklake.spark.changes.ChangeSide
import ducklake.spark.config.HadoopSettings
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.parquet.vector.InlinedBatches
import ducklake.spark.read.BytesRead
import ducklake.spark.read.DeleteFilesRead
import ducklake.spark.read.FilesRead
import ducklake.spark.read.InlinedRows
import ducklake.spark.read.ReadMetrics
import ducklake.spark.read.RowsHidden
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
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes the readers that read [[FeedTask]]s as batches.
  *
  * @param conf configuration from [[ReadHadoopConf]]; None when no task reads files
  */
private[changes] final case class FeedReaderFactory(
    spec: FeedSpec,
    conf: Option[Broadcast[TaskHadoopConf]],
    layout: BatchLayout,
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("lakes are read in batches")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case FilesFeedTask(parts) =>
        val settings =
          conf.getOrElse(throw new IllegalStateException("files are read with Hadoop's settings"))
        new FilesFeedReader(parts, spec, settings.value.value, layout)
      case task: InlinedFeedTask =>
        new InlinedFeedReader(task, spec, conf.map(_.value.value), layout)
      case other => throw new IllegalArgumentException(s"not a task of ours: ${other.getClass}")
    }
}

private[changes] object FeedReaderFactory {

  def of(spec: FeedSpec, readsFiles: Boolean, own: HadoopSettings): FeedReaderFactory =
    FeedReaderFactory(
      spec,
      Option.when(readsFiles)(ReadHadoopConf.broadcast(SparkSession.active, own)),
      BatchLayout(SessionSettings.batchRows, SessionSettings.isOffHeap),
    )
}

/** Reads parts of changed files, one after another. */
private final class FilesFeedReader(
    parts: Vector[ChangedPart],
    spec: FeedSpec,
    conf: Configuration,
    layout: BatchLayout,
) extends PartitionReader[ColumnarBatch] {

  private val remaining = parts.iterator
  private val partners = new PartnerRowIds(spec, Some(conf), layout)
  private val batches = new FeedBatches(spec, layout.rows)
  private var current: Option[(SideReader, Map[ChangeSide, RowIdsBySnapshot])] = None
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

  override def currentMetricsValues(): Array[CustomTaskMetric] = {
    val hidden = hiddenInClosedParts + current.fold(0L)(_._1.rowsHidden)
    Array(
      ReadMetrics.value(new FilesRead, files),
      ReadMetrics.value(new BytesRead, bytes),
      ReadMetrics.value(new DeleteFilesRead, deleteFiles),
      ReadMetrics.value(new RowsHidden, hidden),
    )
  }

  @annotation.tailrec
  private def nextBatch(): Option[ColumnarBatch] = {
    val found = current.flatMap { case (reader, others) =>
      reader.next().map(batch => batches.of(batch, others.get(batch.side)))
    }
    if (found.nonEmpty) found
    else if (!remaining.hasNext) None
    else {
      closeCurrent()
      open(remaining.next())
      nextBatch()
    }
  }

  private def open(part: ChangedPart): Unit = {
    files += 1
    bytes += part.file.part.length
    deleteFiles += part.file.deleteFiles.length
    val others = part.sides.flatMap { changed =>
      partners.of(changed.side, changed.partners).map(changed.side -> _)
    }
    val wantsRowIds = part.sides.exists(changed => batches.wantsRowIds(changed.partners))
    val sides = part.sides.map(_.side)
    val reader =
      new SideReader(part.file, sides, spec.read, spec.range, spec.id, wantsRowIds, conf, layout)
    current = Some((reader, others.toMap))
  }

  private def closeCurrent(): Unit = {
    current.foreach { case (reader, _) =>
      hiddenInClosedParts += reader.rowsHidden
      reader.close()
    }
    current = None
  }
}

/** Reads the inlined rows that the task contains. */
private final class InlinedFeedReader(
    task: InlinedFeedTask,
    spec: FeedSpec,
    conf: Option[Configuration],
    layout: BatchLayout,
) extends PartitionReader[ColumnarBatch] {

  private val types = spec.read.columns.map(_.sparkType)
  private lazy val rows =
    new InlinedBatches(task.rows.rows, types :+ LongType :+ LongType, layout.rows)
  private val batches = new FeedBatches(spec, layout.rows)
  private lazy val others = new PartnerRowIds(spec, conf, layout).of(task.side, task.partners)

  override def next(): Boolean = rows.advance()

  override def get(): ColumnarBatch = inTask {
    val rowIds = rows.batch.column(types.length)
    val snapshots = rows.batch.column(types.length + 1)
    batches.of(
      new SideBatch(rows.batch, task.side, Some(rowIds), row => snapshots.getLong(row)),
      others,
    )
  }

  override def close(): Unit = rows.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    Array(ReadMetrics.value(new InlinedRows, task.rows.size.toLong))
}
