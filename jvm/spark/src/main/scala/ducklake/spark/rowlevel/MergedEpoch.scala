package ducklake.spark.rowlevel

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.write.OwnWriteInfo
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** An epoch of a stream whose rows a MERGE writes: its commit records the epoch, so that an epoch
  * that Spark repeats is not committed twice (decision 21).
  *
  * @param options of the stream, as far as they are options of any write
  */
final case class MergedEpoch(epoch: StreamEpoch, options: CaseInsensitiveStringMap) {

  private[rowlevel] def committing(target: WriteTarget): WriteTarget =
    target.copy(sink = WriteSink.CommitOnce(epoch))

  /** MERGE itself has no options. */
  private[rowlevel] def withOptions(info: LogicalWriteInfo): LogicalWriteInfo =
    OwnWriteInfo.withOptions(info, options)
}
