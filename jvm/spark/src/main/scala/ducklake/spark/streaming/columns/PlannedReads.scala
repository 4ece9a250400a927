package ducklake.spark.streaming.columns

import ducklake.spark.streaming.SnapshotOffset
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.streaming.Offset

/** The batches of a stream as Spark asks for them: first the tasks, then the readers. A query that
  * has the stream twice plans each batch twice, and both readers may be made by the factory of the
  * second: they must be of the same plan.
  *
  * @param batch reads what lies between two offsets
  */
private[streaming] final class PlannedReads(batch: (SnapshotOffset, SnapshotOffset) => Batch) {

  @volatile private var planned: Option[PlannedBatch] = None

  def tasks(start: Offset, end: Offset): Array[InputPartition] = {
    val (from, to) = (SnapshotOffset.of(start), SnapshotOffset.of(end))
    val found = planned
      .filter(last => last.from == from && last.to == to)
      .getOrElse(PlannedBatch(from, to, batch(from, to)))
    planned = Some(found)
    found.batch.planInputPartitions()
  }

  /** Of the batch that was planned last. */
  def factory(): PartitionReaderFactory =
    planned
      .getOrElse(throw new IllegalStateException("no batch was planned"))
      .batch
      .createReaderFactory()
}

private final case class PlannedBatch(from: SnapshotOffset, to: SnapshotOffset, batch: Batch)
