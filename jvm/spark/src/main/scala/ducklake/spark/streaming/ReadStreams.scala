package ducklake.spark.streaming

import ducklake.spark.changes.FeedKind
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Opens the streams of tables and of change feeds. */
object ReadStreams {

  /** Opens the stream of a table for read options. Errors: InvalidSetting. */
  def ofTable(at: TableAtSnapshot, options: CaseInsensitiveStringMap): MicroBatchStream = {
    val parsed = ReadStreamOptions.ofTable(options)
    val table = new FollowedTable(at)
    new SnapshotStream(new StreamedRows.OfTable(at, parsed.changedRows, table), table, parsed)
  }

  /** Opens the stream of a change feed for read options. Errors: InvalidSetting, InvalidArgument.
    */
  def ofFeed(at: TableAtSnapshot, kind: FeedKind): CaseInsensitiveStringMap => MicroBatchStream = {
    options =>
      val parsed = ReadStreamOptions.ofFeed(options)
      new SnapshotStream(new StreamedRows.OfFeed(at, kind), new FollowedTable(at), parsed)
  }
}
