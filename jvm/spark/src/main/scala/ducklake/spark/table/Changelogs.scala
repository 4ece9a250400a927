package ducklake.spark.table

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.BoundEdge
import ducklake.catalog.read.ChangeBound
import ducklake.catalog.read.ChangePoint
import ducklake.catalog.read.RewrittenRows
import ducklake.spark.changes.ChangeFeedTable
import ducklake.spark.changes.FeedColumn
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.SharedRowIds
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.Changelog
import org.apache.spark.sql.connector.catalog.ChangelogContext
import org.apache.spark.sql.connector.catalog.ChangelogRange
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.time.Instant
import java.time.temporal.ChronoUnit

import scala.jdk.CollectionConverters.MapHasAsScala

/** Finds the changes for Spark's clause CHANGES. Source: interface 5; decision 0029. */
final class Changelogs(session: SessionLake) {

  /** The changes of a table, with the columns that it has at their end. Throws
    * NoSuchTableException. Errors: NoSuchSnapshot, InvalidArgument, InvalidSetting.
    */
  def load(
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap,
  ): Changelog = {
    StatementOptions.checkChangesClause(options.asCaseSensitiveMap().asScala.keys)
    val newest = session.currentToRead().getOrElse(throw new NoSuchTableException(ident))
    val range = rangeOf(context.range(), newest.snapshot.id)
    val end = if (range.isEmpty) newest else session.lake.at(range.last)
    val table = end
      .table(Namespaces.pathOf(ident.namespace()), ident.name())
      .getOrElse(throw new NoSuchTableException(ident))
    val at = new TableAtSnapshot(session, end, table, isPast = true)
    val changeType =
      if (context.computeUpdates()) FeedColumn.ChangeType else FeedColumn.PlainChangeType
    val rewritten = context.deduplicationMode() match {
      case ChangelogContext.DeduplicationMode.NONE => RewrittenRows.Shown
      case _ => RewrittenRows.Hidden
    }
    val sharedRowIds = context.deduplicationMode() match {
      case ChangelogContext.DeduplicationMode.NET_CHANGES => SharedRowIds.Refused
      case _ => SharedRowIds.Shown
    }
    val kind = FeedKind.Changelog(changeType, rewritten, sharedRowIds)
    val feed = new ChangeFeedTable(at.name, at, kind, Some(range))
    new DuckLakeChangelog(feed)
  }

  private def rangeOf(range: ChangelogRange, newest: SnapshotId): SnapshotRange = {
    val (from, to) = range match {
      case versions: ChangelogRange.VersionRange =>
        val last = versions.endingVersion()
        (version(versions.startingVersion()), Option.when(last.isPresent)(version(last.get)))
      case times: ChangelogRange.TimestampRange =>
        val last = times.endingTimestamp()
        (time(times.startingTimestamp()), Option.when(last.isPresent)(time(last.get)))
      case _: ChangelogRange.UnboundedRange =>
        SparkErrors.raise(
          LakeError.Unsupported(
            "CHANGES without a start",
            "Name the first version or the first time. Changes are not read as streams yet.",
          )
        )
    }
    val start = ChangeBound(from, edge(range.startingBoundInclusive()))
    val end =
      to.fold(ChangeBound.version(newest))(ChangeBound(_, edge(range.endingBoundInclusive())))
    session.lake.changeRange(start, end).fold(SparkErrors.raise(_), identity)
  }

  private def version(text: String): ChangePoint =
    text.trim.toLongOption match {
      case Some(id) => ChangePoint.Version(SnapshotId(id))
      case None =>
        SparkErrors.raise(
          LakeError.InvalidArgument("CHANGES", "version", s"is no snapshot id: $text")
        )
    }

  private def time(micros: Long): ChangePoint =
    ChangePoint.Time(Instant.EPOCH.plus(micros, ChronoUnit.MICROS))

  private def edge(isInclusive: Boolean): BoundEdge =
    if (isInclusive) BoundEdge.Included else BoundEdge.Excluded
}

/** The changes of a table for Spark. The images of updates are finished where Spark asks for them.
  * Net changes are Spark's own, by row id and version.
  */
private final class DuckLakeChangelog(feed: ChangeFeedTable) extends Changelog {

  override def name(): String = feed.name()

  override def columns(): Array[Column] = feed.columns()

  override def containsCarryoverRows(): Boolean = false

  override def containsIntermediateChanges(): Boolean = true

  override def representsUpdateAsDeleteAndInsert(): Boolean = false

  override def rowId(): Array[NamedReference] = Array(Expressions.column("rowid"))

  override def rowVersion(): NamedReference = Expressions.column("_commit_version")

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    feed.newScanBuilder(options)
}
