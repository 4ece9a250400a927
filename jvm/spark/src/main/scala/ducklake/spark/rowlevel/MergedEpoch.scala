package ducklake.spark.rowlevel

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.spark.config.StatementOptions
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.write.DuckLakeWrite
import ducklake.spark.write.OwnWriteInfo
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.connector.write.WriteBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** An epoch of a stream whose rows a statement of ours merges: its commit records the epoch, so that
  * an epoch that Spark repeats is not committed twice (decision 21).
  *
  * @param ofStream the options of the stream
  */
final case class MergedEpoch(epoch: StreamEpoch, ofStream: CaseInsensitiveStringMap) {

  private lazy val options = StatementOptions.ofBatch(ofStream)

  private[rowlevel] def committing(target: WriteTarget): WriteTarget =
    target.copy(sink = WriteSink.CommitOnce(epoch))

  /** The statement itself has no options. */
  private[rowlevel] def withOptions(info: LogicalWriteInfo): LogicalWriteInfo =
    OwnWriteInfo.withOptions(info, options)

  /** Of a write that no statement of Spark asks for.
    *
    * @param rows of the table
    */
  private[rowlevel] def info(rows: StructType): LogicalWriteInfo = new LogicalWriteInfo {
    override def queryId(): String = epoch.query
    override def schema(): StructType = rows
    override def options(): CaseInsensitiveStringMap = ofStream
  }

  /** Whether rows that others add must be compared with what the statement has read. */
  private[spark] def isSerializable(target: WriteTarget): Boolean =
    target.isSerializable(target.config(options))

  /** The write of an epoch of which the table has no key yet. */
  private[spark] def appending(target: WriteTarget, info: LogicalWriteInfo): WriteBuilder =
    new WriteBuilder {
      override def build(): Write =
        new DuckLakeWrite(committing(target), OverwriteMode.Nothing, withOptions(info))
    }
}
