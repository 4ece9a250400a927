package ducklake.spark.read.task

import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.connector.read.PartitionReaderFactory

/** Makes readers whose rows come in batches. */
trait BatchReaderFactory extends PartitionReaderFactory {

  /** Configuration from `ReadHadoopConf`; None when no task reads files. */
  def conf: Option[Broadcast[TaskHadoopConf]]

  /** The configuration, in a task that reads files. */
  protected def fileSettings: Configuration =
    conf match {
      case Some(settings) => settings.value.value
      case None => throw new IllegalStateException("files are read with Hadoop's settings")
    }

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("lakes are read in batches")
}
