package ducklake.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.connector.write.WriterCommitMessage

import scala.util.control.NonFatal

/** The only task of a write of few rows, which the driver runs itself, without a job. */
private[spark] object DriverTask {

  /** Writes the rows and commits them. After an error nothing is left.
    *
    * @param open makes the writer of the task
    * @param write gives the rows to it
    */
  def run[W <: DataWriter[InternalRow]](batch: BatchWrite, open: => W)(write: W => Unit): Unit = {
    var messages = Array.empty[WriterCommitMessage]
    try {
      messages = Array(resultOf(open, write))
      batch.commit(messages)
    } catch {
      case failure: Throwable =>
        try batch.abort(messages)
        catch { case NonFatal(other) => failure.addSuppressed(other) }
        throw failure
    }
  }

  private def resultOf[W <: DataWriter[InternalRow]](
      writer: W,
      write: W => Unit,
  ): WriterCommitMessage =
    try {
      write(writer)
      writer.commit()
    } catch {
      case failure: Throwable =>
        writer.abort()
        throw failure
    } finally writer.close()
}
