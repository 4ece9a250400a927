package ducklake.spark.write

import ducklake.catalog.error.LakeError
import ducklake.catalog.option.OptionRules
import ducklake.files.path.PathResolver
import ducklake.spark.config.HadoopSettings
import ducklake.spark.config.IsolationLevel
import ducklake.spark.config.StatementOptions
import ducklake.spark.config.WriteConfig
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.parquet.write.FileSchemaBuilder
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.partitioning.WriteDistribution
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.partitioning.WriteLayout
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.connector.write.DataWriterFactory
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.PhysicalWriteInfo
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

import scala.jdk.CollectionConverters.IteratorHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala

/** How Spark runs a write as an epoch of a stream. Spark chooses between a batch and an epoch after
  * the write is built, so each write of a table gets its form from the table: the room `streaming`
  * stands above `write`.
  */
trait StreamForm {

  /** The layout by which Spark distributes the rows. */
  def distributed: WriteLayout

  def open(): StreamingWrite
}

/** A write to a table: the distribution of its rows, the writers of its tasks, and its committer.
  *
  * @param stream None when the write is never part of a stream
  */
final class DuckLakeWrite(
    target: WriteTarget,
    mode: OverwriteMode,
    info: LogicalWriteInfo,
    stream: Option[StreamForm] = None,
) extends RequiresDistributionAndOrdering {

  private val layout: WriteLayout = target.layout

  private lazy val config: WriteConfig = onDriver(target.config(info.options()))

  private lazy val distribution =
    new WriteDistribution(stream.fold(layout)(_.distributed), config)

  override def description(): String =
    s"${OverwriteMode.described(mode)} ${target.session.name}.${layout.name}"

  /** The text in EXPLAIN. */
  override def toString: String = description()

  override def requiredDistribution(): Distribution = distribution.distribution

  override def distributionStrictlyRequired(): Boolean = false

  override def advisoryPartitionSizeInBytes(): Long = distribution.advisorySizeBytes

  override def requiredOrdering(): Array[SortOrder] = distribution.ordering

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all

  /** Spark calls it after the write has ended, also when the write failed. */
  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    WriteMetrics.of(committer.committed)

  override def toBatch: BatchWrite = onDriver {
    StatementOptions.checkBatchWrite(info.options().asCaseSensitiveMap().asScala.keys)
    requireWritable()
    val spec = taskSpec
    val driver =
      new DriverCommit(target, mode, spec, inliningRowLimit, mindsNewRows, committer)
    new DuckLakeBatchWrite(spec, target.session.config.hadoop, driver, description())
  }

  override def toStreaming: StreamingWrite = stream match {
    case Some(form) => onDriver(form.open())
    case None => super.toStreaming
  }

  /** An overwrite conflicts with new rows unless its own option says otherwise, because rows of
    * others are not expected beside the new rows.
    */
  private def mindsNewRows: Boolean =
    !Option(info.options().get(OptionRules.IsolationLevel.key))
      .flatMap(OptionRules.IsolationLevel.check(_).toOption)
      .map(IsolationLevel.of)
      .contains(IsolationLevel.Snapshot)

  /** The settings that the tasks share. Errors: Unsupported for a column of an unknown type. */
  private[spark] lazy val taskSpec: WriteSpec = {
    refuseUnwritable()
    spec(PathResolver.hadoopPath(layout.directory))
  }

  /** Errors: Unsupported for a column of a type that this Spark's Parquet library cannot write. */
  private[spark] def requireWritable(): Unit = {
    val _ = FileSchemaBuilder.message(layout.columns)
  }

  private[spark] lazy val committer: WriteCommitter =
    onDriver(new WriteCommitter(target, info.options().asCaseSensitiveMap().asScala.toMap))

  private def refuseUnwritable(): Unit =
    layout.columns.foreach { column =>
      SparkTypes.unreadable(column).headOption.foreach { typeText =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"Writing rows of ${layout.name}, whose column `${column.name}` is of type $typeText,",
            "Write them with DuckDB.",
          )
        )
      }
    }

  private def spec(directory: String): WriteSpec =
    WriteSpec(
      layout.name,
      directory,
      layout.columns,
      target.session.timeRule,
      onDriver(WriteKey.of(layout, layout.columns)),
      config,
      maxBufferedRows = if (target.base.mayInline(layout.columns)) inliningRowLimit else 0L,
    )

  private[spark] def isSerializable: Boolean = target.isSerializable(config)

  /** How many rows of this write, or deleted positions of a file, may be inlined in the catalog. */
  private[spark] def inliningRowLimit: Long = target.inliningRowLimit(config)
}

/** The part for the tasks and the part for the driver of a write. */
final class DuckLakeBatchWrite(
    spec: WriteSpec,
    own: HadoopSettings,
    driver: DriverCommit,
    description: String,
) extends BatchWrite {

  /** The text in Spark's log. */
  override def toString: String = description

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    TaskWriterFactory(
      spec.ofTasks(info.numPartitions()),
      WriteHadoopConf.broadcast(SparkSession.active, own),
    )

  /** Writes few rows and commits them without a job. After an error nothing is left. */
  def writeOnDriver(rows: Iterator[InternalRow]): Unit =
    DriverTask.run(this, new TaskWriter(spec.ofTasks(1), hadoopConf))(_.writeAll(rows.asJava))

  private def hadoopConf: Configuration = WriteHadoopConf.ofSession(SparkSession.active, own)

  override def commit(messages: Array[WriterCommitMessage]): Unit =
    onDriver(driver.commit(messages.toVector))

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    onDriver(driver.abort(messages.toVector))
}
