package ducklake.spark.rowlevel

import ducklake.catalog.error.LakeError
import ducklake.catalog.predicate.Predicate
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.delete.ReadRows
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.HiddenNames
import ducklake.spark.write.DriverTask
import ducklake.spark.write.DuckLakeWrite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.distributions.Distributions
import org.apache.spark.sql.connector.distributions.UnspecifiedDistribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.DeltaBatchWrite
import org.apache.spark.sql.connector.write.DeltaWrite
import org.apache.spark.sql.connector.write.DeltaWriter
import org.apache.spark.sql.connector.write.DeltaWriterFactory
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.PhysicalWriteInfo
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** The write of a row-level statement. New rows of a partitioned table are clustered by partition.
  * Rows are not clustered by data file, because the rows that MERGE inserts have no data file.
  *
  * @param checks of the sources that the statement reads twice
  * @param conditions the predicates of each scan of the target
  */
private[spark] final class PositionDeltaWrite private[rowlevel] (
    table: TableAtSnapshot,
    target: WriteTarget,
    command: Command,
    info: LogicalWriteInfo,
    checks: Vector[RereadSource],
    conditions: () => Vector[Vector[Predicate]],
) extends DeltaWrite
    with RequiresDistributionAndOrdering {

  /** The write of plain rows, which provides distribution, task settings and committer. */
  private val rows = new DuckLakeWrite(target, OverwriteMode.Nothing, info)

  private val hasNewRows = command != Command.DELETE

  /** The ordinal of `rowid` in the rows. When a statement names a hidden column, Spark puts all
    * hidden columns after the columns of the table.
    */
  private val shownRowId: Option[Int] = {
    val fields = info.schema().fieldNames
    val ordinal = fields.indexOf(HiddenNames.ShownRowId, table.table.columns.length)
    Option.when(ordinal >= 0)(ordinal)
  }

  override def description(): String = s"$command of ${table.name}"

  /** The text in EXPLAIN. */
  override def toString: String = description()

  override def requiredDistribution(): Distribution =
    if (hasNewRows) rows.requiredDistribution() else Distributions.unspecified()

  override def distributionStrictlyRequired(): Boolean = false

  override def advisoryPartitionSizeInBytes(): Long =
    if (hasNewRows) rows.advisoryPartitionSizeInBytes() else 0L

  override def requiredOrdering(): Array[SortOrder] =
    if (hasNewRows) rows.requiredOrdering() else Array.empty

  override def supportedCustomMetrics(): Array[CustomMetric] = rows.supportedCustomMetrics()

  override def reportDriverMetrics(): Array[CustomTaskMetric] = rows.reportDriverMetrics()

  override def toBatch: DeltaBatchWrite = batch

  private def batch: Batch = onDriver {
    if (hasNewRows) rows.requireWritable()
    new Batch(
      new DeltaCommit(table, rows.taskSpec, rows.inliningRowLimit, () => read, rows.committer)
    )
  }

  /** Whether rows are written in the order in which they come, by whichever task. */
  private[rowlevel] def takesRowsAsTheyCome: Boolean =
    requiredOrdering().isEmpty && (requiredDistribution() match {
      case _: UnspecifiedDistribution => true
      case _ => false
    })

  /** Writes few changes and commits them without a job. After an error nothing is left.
    *
    * @param change gives them to the writer
    */
  def writeOnDriver(change: DeltaWriter[InternalRow] => Unit): Unit = batch.writeOnDriver(change)

  /** The rows that a serializable statement has read. Without a known scan that may be every row.
    */
  private def read: Option[ReadRows] =
    Option.when(rows.isSerializable) {
      val known = if (conditions().isEmpty) Vector(Vector.empty) else conditions()
      new ReadRows(table.table, table.snapshot, known, mindsDeletes = command == Command.MERGE)
    }

  /** The part for the tasks and the part for the driver of the write. */
  private final class Batch(driver: DeltaCommit) extends DeltaBatchWrite {

    override def toString: String = description()

    override def createBatchWriterFactory(physical: PhysicalWriteInfo): DeltaWriterFactory =
      DeltaTaskWriterFactory(
        rows.taskSpec.ofTasks(PositionDeltaWrite.BuffersOfTask * physical.numPartitions()),
        shownRowId,
        WriteHadoopConf.broadcast(SparkSession.active, table.session.config.hadoop),
      )

    def writeOnDriver(change: DeltaWriter[InternalRow] => Unit): Unit = {
      val conf = WriteHadoopConf.ofSession(SparkSession.active, table.session.config.hadoop)
      val spec = rows.taskSpec.ofTasks(PositionDeltaWrite.BuffersOfTask)
      DriverTask.run(this, new DeltaTaskWriter(spec, shownRowId, conf))(change)
    }

    override def commit(messages: Array[WriterCommitMessage]): Unit = onDriver {
      checks.flatMap(_.problem()).headOption.foreach { why =>
        SparkErrors.raise(LakeError.CommitConflict(why))
      }
      driver.commit(messages.toVector)
    }

    override def abort(messages: Array[WriterCommitMessage]): Unit =
      onDriver(driver.abort(messages.toVector))
  }
}

private object PositionDeltaWrite {

  /** Of inserted and of updated rows. */
  val BuffersOfTask = 2
}
