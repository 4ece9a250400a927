package ducklake.spark.streaming

import ducklake.spark.sparkapi.stream.RowsByName
import ducklake.spark.write.TaskWriterFactory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

/** Creates the writers of an epoch's tasks.
  *
  * @param rows the conversion of the query's rows to rows of the table; None when no conversion is
  *   needed
  */
private[streaming] final case class EpochWriterFactory(
    writers: TaskWriterFactory,
    rows: Option[RowsByName],
) extends StreamingDataWriterFactory {

  override def createWriter(partition: Int, task: Long, epoch: Long): DataWriter[InternalRow] = {
    val writer = writers.createWriter(partition, task)
    rows.fold(writer)(columns => new FittingWriter(writer, columns.projection()))
  }
}

/** Converts each row to the table's columns before it is written. */
private final class FittingWriter(writer: DataWriter[InternalRow], fit: InternalRow => InternalRow)
    extends DataWriter[InternalRow] {

  override def write(row: InternalRow): Unit = writer.write(fit(row))

  override def commit(): WriterCommitMessage = writer.commit()

  override def abort(): Unit = writer.abort()

  override def close(): Unit = writer.close()
}
