package ducklake.spark.streaming.upsert

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.streaming.EpochUpkeep
import ducklake.spark.streaming.StreamOptions
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.PhysicalWriteInfo
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** One epoch of a stream whose rows are merged by key. Spark's writers of streams cannot join their
  * rows with the table, so the extension takes the rows before they would be written, and hands
  * over how they are merged (decision 21).
  *
  * @param table the table as Spark has loaded it, which may have been for an earlier epoch: Spark
  *   loads a table that is named by a format once for a query. Its session commits at once, outside
  *   of Spark's transaction of the epoch
  */
private[spark] final class UpsertEpoch(
    val table: TableAtSnapshot,
    info: LogicalWriteInfo,
    val upsert: UpsertOptions,
    upkeep: EpochUpkeep,
) extends StreamingWrite {

  /** The columns of the query. */
  def rows: StructType = info.schema()

  def options: CaseInsensitiveStringMap = info.options()

  /** The text in Spark's log. */
  override def toString: String = s"a stream: an upsert into ${table.name}"

  override def createStreamingWriterFactory(
      physical: PhysicalWriteInfo
  ): StreamingDataWriterFactory = onDriver {
    SparkErrors.raise(
      LakeError.Unsupported(
        s"`${StatementOptions.MergeKeys}` in a session without the extension",
        "Set `spark.sql.extensions` to `ducklake.spark.DuckLakeExtensions`.",
      )
    )
  }

  /** Errors: Unsupported when the query has a continuous trigger. */
  def refuseContinuous(): Unit = StreamOptions.refuseContinuous(table.table.qualifiedName)

  override def commit(epoch: Long, messages: Array[WriterCommitMessage]): Unit = onDriver {
    messages.foreach {
      case UpsertEpoch.Rows(merge) => merge(StreamEpoch(info.queryId(), epoch))
      case other => throw new IllegalStateException(s"unexpected message ${other.getClass}")
    }
    upkeep.after(epoch)
  }

  /** Nothing: the merge itself deletes what it has written in vain. */
  override def abort(epoch: Long, messages: Array[WriterCommitMessage]): Unit = ()

  /** The table at the newest snapshot. Errors: StreamCannotContinue when its columns have changed
    * since Spark has loaded it.
    */
  def newest(): TableAtSnapshot =
    table.at(table.session.base()).getOrElse {
      SparkErrors.raise(
        LakeError.StreamCannotContinue(
          table.table.qualifiedName,
          "the table's columns have changed",
          "Start the query again.",
        )
      )
    }
}

private[spark] object UpsertEpoch {

  /** The rows of an epoch, in the place of messages of tasks.
    *
    * @param merge merges them, and records the epoch
    */
  final case class Rows(merge: StreamEpoch => Unit) extends WriterCommitMessage
}
