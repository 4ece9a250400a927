package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.spark.changes.FeedKind
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Opens the streams of tables and of change feeds. */
object ReadStreams {

  /** Opens streams: for read options, with a checkpoint at a place. */
  type Opening = (CaseInsensitiveStringMap, String) => MicroBatchStream

  /** Opens the stream of a table. Errors: InvalidSetting. */
  def ofTable(
      at: TableAtSnapshot,
      options: CaseInsensitiveStringMap,
      checkpoint: String,
  ): MicroBatchStream = {
    val parsed = ReadStreamOptions.ofTable(options)
    val table = new FollowedTable(at)
    val rows = new StreamedRows.OfTable(at, parsed.changedRows, table)
    new SnapshotStream(rows, table, parsed, checkpoint)
  }

  /** Opens the stream of a change feed. Errors: InvalidSetting, InvalidArgument. */
  def ofFeed(at: TableAtSnapshot, kind: FeedKind): Opening =
    (options, checkpoint) => open(at, kind, ReadStreamOptions.ofFeed(options), checkpoint)

  /** Opens the stream of Spark's CHANGES.
    *
    * @param start the first snapshot that is read; None: the stream begins with the newest one
    * @param hasEnd whether the query names an end, which no stream has
    *
    * Errors: InvalidSetting, InvalidArgument, Unsupported.
    */
  def ofChangelog(
      at: TableAtSnapshot,
      kind: FeedKind,
      start: Option[ChangeBound],
      hasEnd: Boolean,
  ): Opening = { (options, checkpoint) =>
    if (hasEnd)
      SparkErrors.raise(
        LakeError.Unsupported(
          "A stream of CHANGES with an end",
          "A stream has no end: read a batch, or use the trigger AvailableNow.",
        )
      )
    open(at, kind, ReadStreamOptions.ofChangelog(options, start), checkpoint)
  }

  private def open(
      at: TableAtSnapshot,
      kind: FeedKind,
      parsed: ReadStreamOptions,
      checkpoint: String,
  ): MicroBatchStream =
    new SnapshotStream(new StreamedRows.OfFeed(at, kind), new FollowedTable(at), parsed, checkpoint)
}
