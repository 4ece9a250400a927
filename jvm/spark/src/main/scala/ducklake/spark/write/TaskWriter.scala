package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.TypeText
import ducklake.spark.errors.SparkErrors.failTask
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.sparkapi.task.TaskAttempt
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.connector.write.DataWriterFactory
import org.apache.spark.sql.connector.write.WriterCommitMessage

import java.util

/** Creates the writers of a write's tasks. */
final case class TaskWriterFactory(spec: WriteSpec, conf: Broadcast[TaskHadoopConf])
    extends DataWriterFactory {

  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
    new TaskWriter(spec, conf.value.value)
}

/** Writes the rows of one task to files of the target size. It opens no file before there are more
  * rows than may be inlined.
  */
final class TaskWriter(spec: WriteSpec, conf: Configuration) extends DataWriter[InternalRow] {

  private val files = new TaskFiles(spec, conf)
  private val router = PartitionRouter.of(spec, files)
  private val buffer = new RowBuffer(spec)
  private var isBuffering = spec.maxBufferedRows > 0

  private val required: Array[Int] =
    spec.columns.zipWithIndex.collect {
      case (column, index) if !column.nullsAllowed => index
    }.toArray

  override def write(row: InternalRow): Unit = inTask(add(row))

  override def writeAll(rows: util.Iterator[InternalRow]): Unit = inTask {
    while (rows.hasNext) add(rows.next())
  }

  private def add(row: InternalRow): Unit = {
    // A plain loop, because it runs for every row.
    var index = 0
    while (index < required.length) {
      if (row.isNullAt(required(index))) refuseNull(required(index))
      index += 1
    }
    if (!isBuffering || !buffer.add(row)) {
      if (isBuffering) writeBuffer()
      router.write(row)
    }
  }

  private def writeBuffer(): Unit = {
    isBuffering = false
    buffer.release().foreach(router.write)
  }

  private def refuseNull(ordinal: Int): Nothing = {
    val column = spec.columns(ordinal)
    failTask(
      LakeError.InvalidValue(
        column.name,
        "NULL",
        TypeText.print(column.dataType),
        s"the column of ${spec.table} is NOT NULL",
      )
    )
  }

  override def commit(): WriterCommitMessage = inTask {
    buffer.check()
    router.finish()
    val records = WriteMetrics.recordsOf(files.finished) + buffer.rows.size
    TaskAttempt.wrote(records, WriteMetrics.bytesOf(files.finished))
    TaskResult(files.finished, buffer.rows)
  }

  override def abort(): Unit = files.discard()

  override def close(): Unit = files.closeQuietly()

  /** The finished files. */
  def finished: Vector[NewDataFile] = files.finished
}
