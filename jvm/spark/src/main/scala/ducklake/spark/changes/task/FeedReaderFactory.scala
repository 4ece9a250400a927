package ducklake.spark.changes.task

import ducklake.spark.changes.ChangeSide
import ducklake.spark.config.HadoopSettings
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.PartBatches
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.read.task.BatchReaderFactory
import ducklake.spark.read.task.InlinedReader
import ducklake.spark.read.task.PartsReader
import ducklake.spark.read.task.UnreadPart
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes the readers that read [[FeedTask]]s as batches. */
private[changes] final case class FeedReaderFactory(
    spec: FeedSpec,
    conf: Option[Broadcast[TaskHadoopConf]],
    layout: BatchLayout,
) extends BatchReaderFactory {

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case FilesFeedTask(parts) =>
        val changed = new ChangedParts(spec, fileSettings, layout)
        new PartsReader(parts.iterator.map(changed.unread))
      case task: InlinedFeedTask => inlined(task)
      case other => throw new IllegalArgumentException(s"not a task of ours: ${other.getClass}")
    }

  private def inlined(task: InlinedFeedTask): PartitionReader[ColumnarBatch] = {
    val types = spec.read.columns.map(_.sparkType)
    val partners = new PartnerRowIds(spec, conf.map(_.value.value), layout)
    lazy val others = partners.of(task.side, task.partners)
    val batches = new FeedBatches(spec, layout.rows)
    def shown(rows: ColumnarBatch): ColumnarBatch = {
      val rowIds = rows.column(types.length)
      val snapshots = rows.column(types.length + 1)
      val side = new SideBatch(rows, task.side, Some(rowIds), row => snapshots.getLong(row))
      batches.of(side, others)
    }
    new InlinedReader(task.rows, types :+ LongType :+ LongType, layout.rows, shown)
  }
}

private[changes] object FeedReaderFactory {

  def of(spec: FeedSpec, readsFiles: Boolean, own: HadoopSettings): FeedReaderFactory =
    FeedReaderFactory(
      spec,
      Option.when(readsFiles)(ReadHadoopConf.broadcast(SparkSession.active, own)),
      BatchLayout.ofSession(),
    )
}

/** Opens the parts of changed files that one task reads. */
private final class ChangedParts(spec: FeedSpec, conf: Configuration, layout: BatchLayout) {

  private val partners = new PartnerRowIds(spec, Some(conf), layout)
  private val batches = new FeedBatches(spec, layout.rows)

  def unread(part: ChangedPart): UnreadPart =
    UnreadPart(part.file.part.length, part.file.deleteFiles.length, () => open(part))

  private def open(part: ChangedPart): PartBatches = {
    val others = part.sides.flatMap { changed =>
      partners.of(changed.side, changed.partners).map(changed.side -> _)
    }
    val wantsRowIds = part.sides.exists(changed => batches.wantsRowIds(changed.partners))
    val sides = part.sides.map(_.side)
    val reader =
      new ChangedRowReader(
        part.file,
        sides,
        spec.read,
        spec.range,
        spec.id,
        wantsRowIds,
        conf,
        layout,
      )
    new ChangedBatches(reader, others.toMap, batches)
  }
}

/** The batches of a part of a changed file.
  *
  * @param others the row ids on the other side of the changes of a side
  */
private final class ChangedBatches(
    reader: ChangedRowReader,
    others: Map[ChangeSide, RowIdsBySnapshot],
    batches: FeedBatches,
) extends PartBatches {

  override def next(): Option[ColumnarBatch] =
    reader.next().map(batch => batches.of(batch, others.get(batch.side)))

  override def rowsHidden: Long = reader.rowsHidden

  override def rowsSkipped: Long = reader.rowsSkipped

  override def groupsSkipped: Long = reader.groupsSkipped

  override def close(): Unit = reader.close()
}
