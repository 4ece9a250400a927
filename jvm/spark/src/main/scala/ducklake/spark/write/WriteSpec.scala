package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.types.Column
import ducklake.spark.config.WriteConfig
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** The settings that all tasks of a write share.
  *
  * @param table the table's name, for messages
  * @param directory the table's folder as Hadoop opens it, ending in a separator
  * @param columns of each row, in order
  * @param maxBufferedRows how many rows a task may buffer for the catalog; 0 when all rows go to
  *   files
  * @param maxBufferedBytes the largest size of these rows in Spark's form
  */
final case class WriteSpec(
    table: String,
    directory: String,
    columns: Vector[Column],
    rule: TimeRule,
    partition: Vector[WriteKey],
    config: WriteConfig,
    maxBufferedRows: Long,
    maxBufferedBytes: Long = WriteSpec.BytesOfTask,
) {

  /** The type of a row in Spark. */
  def schema: StructType = StructType(columns.map { column =>
    StructField(column.name, SparkTypes.of(column, rule))
  })

  /** The settings of this many tasks, whose buffered rows meet on the driver. */
  def ofTasks(count: Int): WriteSpec = {
    val share = WriteSpec.BytesOfAllTasks / math.max(1, count)
    copy(maxBufferedBytes = math.min(maxBufferedBytes, share))
  }
}

object WriteSpec {
  private val BytesOfTask: Long = 1L << 20
  private val BytesOfAllTasks: Long = 32L << 20
}

/** The result of a task: its files, in the order in which they were finished, and its buffered
  * rows. One of the two is empty.
  */
final case class TaskResult(files: Vector[NewDataFile], bufferedRows: Vector[UnsafeRow])
    extends WriterCommitMessage
