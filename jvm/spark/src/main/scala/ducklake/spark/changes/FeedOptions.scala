package ducklake.spark.changes

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.config.ForeignWords
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.sql.TimeText
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsScala

/** The bounds of a change feed. Source: jvm/docs/change-feed.md, "The range"; format 10. */
object FeedOptions {

  /** The options that name the end of a feed, each with Spark's option that names the same
    * snapshot.
    */
  val ends: Vector[(String, String)] = Vector(
    "end-snapshot" -> "versionAsOf",
    "end-timestamp" -> "timestampAsOf",
    "endingVersion" -> "versionAsOf",
    "endingTimestamp" -> "timestampAsOf",
  )

  /** The range between two bounds. It is empty when the first lies after the second, as in DuckDB.
    *
    * Errors: NoSuchSnapshot.
    */
  def range(lake: SessionLake, from: ChangeBound, to: ChangeBound): SnapshotRange =
    lake.lake.changeRange(from, to).fold(SparkErrors.raise(_), identity)

  /** The range that the read options name. Without an end it ends at the table's snapshot.
    *
    * Errors: InvalidSetting, InvalidArgument, NoSuchSnapshot.
    */
  def range(at: TableAtSnapshot, options: CaseInsensitiveStringMap): SnapshotRange =
    range(at.session, at.snapshot.snapshot.id, options)

  /** The same for a table of which only the lake is known.
    *
    * @param newest the end without an option for it
    */
  def range(
      session: SessionLake,
      newest: SnapshotId,
      options: CaseInsensitiveStringMap,
  ): SnapshotRange = {
    val ours = ForeignWords.translated(options, ForeignWords.ofFeeds)
    StatementOptions.checkReadOfChanges(ours.asCaseSensitiveMap().asScala.keys)
    val from = start(ours).getOrElse {
      fail("start-snapshot", "or `start-timestamp` is required for a change feed")
    }
    range(session, from, bound(ours, "end").getOrElse(ChangeBound.version(newest)))
  }

  /** The first snapshot of a feed. Errors: InvalidArgument. */
  def start(options: CaseInsensitiveStringMap): Option[ChangeBound] = bound(options, "start")

  private def bound(options: CaseInsensitiveStringMap, end: String): Option[ChangeBound] = {
    val (snapshot, timestamp) = (s"$end-snapshot", s"$end-timestamp")
    (Option(options.get(snapshot)), Option(options.get(timestamp))) match {
      case (Some(_), Some(_)) => fail(snapshot, s"is given together with `$timestamp`")
      case (Some(text), None) => Some(ChangeBound.snapshot(text))
      case (None, Some(text)) =>
        val time = TimeText.instant(text).getOrElse(fail(timestamp, s"is no timestamp: $text"))
        Some(ChangeBound.time(time))
      case (None, None) => None
    }
  }

  private def fail(name: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument("Read option", name, why))
}
