package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.TypeText
import ducklake.spark.errors.SparkErrors.failTask
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.sparkapi.TaskAttempt
import ducklake.spark.sparkapi.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.connector.write.DataWriterFactory
import org.apache.spark.sql.connector.write.WriterCommitMessage

import java.util

final case class TaskWriterFactory(spec: WriteSpec, conf: Broadcast[TaskHadoopConf])
    extends DataWriterFactory {

  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
    new TaskWriter(spec, conf.value.value)
}

/** Writes the rows of one task into files of the wanted size; opens none before it has a row too many
  * for the catalog.
  */
final class TaskWriter(spec: WriteSpec, conf: Configuration) extends DataWriter[InternalRow] {

  private val files = new TaskFiles(spec, conf)
  private val router = PartitionRouter.of(spec, files)
  private val held = new RowBuffer(spec)
  private var isHolding = spec.mostHeld > 0

  private val required: Array[Int] =
    spec.columns.zipWithIndex.collect { case (column, at) if !column.nullsAllowed => at }.toArray

  override def write(row: InternalRow): Unit = inTask(put(row))

  override def writeAll(rows: util.Iterator[InternalRow]): Unit = inTask {
    while (rows.hasNext) put(rows.next())
  }

  private def put(row: InternalRow): Unit = {
    // A plain loop: it runs for every row.
    var at = 0
    while (at < required.length) {
      if (row.isNullAt(required(at))) refuseNull(required(at))
      at += 1
    }
    if (!isHolding || !held.add(row)) {
      if (isHolding) letGo()
      router.write(row)
    }
  }

  private def letGo(): Unit = {
    isHolding = false
    held.release().foreach(router.write)
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
    held.check()
    router.finish()
    val records = WriteMetrics.recordsOf(files.finished) + held.rows.size
    TaskAttempt.wrote(records, WriteMetrics.bytesOf(files.finished))
    TaskResult(files.finished, held.rows)
  }

  override def abort(): Unit = files.discard()

  override def close(): Unit = files.closeQuietly()

  /** Files that are done. */
  def finished: Vector[NewDataFile] = files.finished
}
