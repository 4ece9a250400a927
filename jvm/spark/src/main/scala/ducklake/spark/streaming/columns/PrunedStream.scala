package ducklake.spark.streaming.columns

import ducklake.spark.streaming.SnapshotStream
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.connector.read.streaming.SparkDataStream

/** A stream in the plan of one batch, which needs only some of its columns and rows. It is equal to
  * the stream itself: Spark counts the rows of a plan by their streams. So a plan may have it only
  * once, and not beside the stream.
  */
private[streaming] final class PrunedStream(
    val under: SnapshotStream,
    val columns: ColumnChoice.Some,
    val filters: Vector[Predicate],
    reads: PlannedReads,
) extends MicroBatchStream {

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    under.tasks(reads, start, end)

  override def createReaderFactory(): PartitionReaderFactory = reads.factory()

  override def initialOffset(): Offset = under.initialOffset()

  override def latestOffset(): Offset = under.latestOffset()

  override def deserializeOffset(json: String): Offset = under.deserializeOffset(json)

  override def commit(end: Offset): Unit = under.commit(end)

  override def stop(): Unit = under.stop()

  override def equals(other: Any): Boolean = other match {
    case stream: SnapshotStream => stream eq under
    case that: PrunedStream =>
      (that.under eq under) && that.columns == columns && that.filters == filters
    case _ => false
  }

  override def hashCode(): Int = under.hashCode()

  override def toString: String = under.toString
}

/** The streams of the lake in a plan. */
object PrunedStream {

  /** The stream that is read; None for streams of others. */
  def source(stream: SparkDataStream): Option[SparkDataStream] = stream match {
    case whole: SnapshotStream => Some(whole)
    case pruned: PrunedStream => Some(pruned.under)
    case _ => None
  }

  /** The filters that the stream has. */
  def filters(stream: SparkDataStream): Vector[Predicate] = stream match {
    case pruned: PrunedStream => pruned.filters
    case _ => Vector.empty
  }

  /** The stream with some of its columns, as the only one of its plan; None when it has not all of
    * them, as no stream of a table has hidden columns, and for streams of others.
    *
    * @param positions of the columns
    * @param filters of the query, which evaluates them itself
    */
  def of(
      stream: SparkDataStream,
      positions: Vector[Int],
      filters: Vector[Predicate],
  ): Option[SparkDataStream] =
    stream match {
      case whole: SnapshotStream => whole.pruned(ColumnChoice.Some(positions), filters)
      case pruned: PrunedStream => pruned.under.pruned(pruned.columns.some(positions), filters)
      case _ => None
    }
}
