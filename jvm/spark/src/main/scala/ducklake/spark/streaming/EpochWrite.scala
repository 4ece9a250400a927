package ducklake.spark.streaming

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.stream.RowsByName
import ducklake.spark.types.SparkColumns
import ducklake.spark.write.DriverCommit
import ducklake.spark.write.DuckLakeWrite
import ducklake.spark.write.TaskWriterFactory
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.PhysicalWriteInfo
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

import scala.jdk.CollectionConverters.MapHasAsScala

/** The part for the tasks and the part for the driver of one epoch. The commit of its rows records
  * the epoch, so that an epoch that Spark repeats after a restart is not committed twice (decision
  * 21).
  *
  * @param target the table at the snapshot at which the epoch began; its sink is not used, because
  *   the epoch is committed once, see `driverOf`
  * @param info its query id stays the same when the query is restarted from its checkpoint
  */
private[streaming] final class EpochWrite(
    target: WriteTarget,
    mode: OverwriteMode,
    info: LogicalWriteInfo,
    upkeep: EpochUpkeep,
) extends StreamingWrite {

  // For the settings of its tasks and for its limits; it is never run as a batch.
  private val write = new DuckLakeWrite(target, mode, info)

  /** Spark does not convert the rows of a stream to the table's columns, as it does for INSERT. */
  private val rows: Option[RowsByName] = RowsByName.of(
    s"${target.session.name}.${target.layout.name}",
    SparkColumns.of(target.layout.columns, target.session.timeRule, target.layout.lengths),
    info.schema(),
  )

  // Spark calls commit, then perhaps abort, on one thread.
  private var committing: Option[DriverCommit] = None

  /** The text in Spark's log. */
  override def toString: String = s"a stream: ${write.description()}"

  override def createStreamingWriterFactory(
      physical: PhysicalWriteInfo
  ): StreamingDataWriterFactory = onDriver {
    StreamOptions.refuseContinuous(target.layout.name)
    write.requireWritable()
    EpochWriterFactory(
      TaskWriterFactory(
        write.taskSpec.ofTasks(physical.numPartitions()),
        WriteHadoopConf.broadcast(SparkSession.active, target.session.config.hadoop),
      ),
      rows,
    )
  }

  override def commit(epoch: Long, messages: Array[WriterCommitMessage]): Unit = onDriver {
    val driver = driverOf(epoch)
    committing = Some(driver)
    driver.commit(messages.toVector)
    upkeep.after(epoch)
  }

  override def abort(epoch: Long, messages: Array[WriterCommitMessage]): Unit = onDriver {
    committing.getOrElse(driverOf(epoch)).abort(messages.toVector)
  }

  private def driverOf(epoch: Long): DriverCommit = {
    val sink = WriteSink.CommitOnce(StreamEpoch(info.queryId(), epoch))
    val once = target.copy(sink = sink)
    val committer = new WriteCommitter(once, info.options().asCaseSensitiveMap().asScala.toMap)
    // In output mode complete an epoch replaces all rows, also new rows of others.
    new DriverCommit(
      once,
      mode,
      write.taskSpec,
      write.inliningRowLimit,
      mindsNewRows = false,
      committer,
    )
  }
}
