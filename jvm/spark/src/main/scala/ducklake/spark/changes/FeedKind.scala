package ducklake.spark.changes

import ducklake.catalog.listing.RewrittenRowsRule

import java.util.Locale

/** The kinds of change feeds.
  *
  * @param tableName the name of the metadata table
  * @param functionName DuckDB's name of the function, without its prefix
  * @param own the columns before the columns of the table
  * @param behind the columns after the columns of the table
  * @param hidden the columns that `*` leaves out; a column of the table with the same name takes
  *   precedence
  *
  * Source: jvm/docs/change-feed.md.
  */
sealed abstract class FeedKind(
    val tableName: String,
    val functionName: String,
    val own: Vector[(String, FeedColumn)],
    val behind: Vector[(String, FeedColumn)] = Vector.empty,
    val hidden: Vector[(String, FeedColumn)] = Vector.empty,
) {

  /** The sides of changes that the feed has. */
  def sides: Vector[ChangeSide]

  /** DuckDB's feeds show rows that a compaction moved as updates to the same values. */
  def rewritten: RewrittenRowsRule = RewrittenRowsRule.Shown

  def sharedRowIds: SharedRowIds = SharedRowIds.Shown

  /** Whether Spark treats columns that are NOT NULL now as NOT NULL. Otherwise any column may be
    * NULL.
    */
  def hasNotNull: Boolean = false
}

object FeedKind {

  case object Changes
      extends FeedKind(
        "changes",
        "table_changes",
        Vector(
          "snapshot_id" -> FeedColumn.Snapshot,
          "rowid" -> FeedColumn.RowId,
          "change_type" -> FeedColumn.ChangeType,
        ),
      ) {
    def sides: Vector[ChangeSide] = Vector(ChangeSide.Insertion, ChangeSide.Deletion)
  }

  case object Insertions
      extends FeedKind("insertions", "table_insertions", Vector.empty, hidden = hiddenOfSides) {
    def sides: Vector[ChangeSide] = Vector(ChangeSide.Insertion)
  }

  case object Deletions
      extends FeedKind("deletions", "table_deletions", Vector.empty, hidden = hiddenOfSides) {
    def sides: Vector[ChangeSide] = Vector(ChangeSide.Deletion)
  }

  /** The row id, and the snapshot that inserted or deleted the row. */
  private lazy val hiddenOfSides: Vector[(String, FeedColumn)] =
    Vector("rowid" -> FeedColumn.RowId, "snapshot_id" -> FeedColumn.Snapshot)

  /** The rows that a table gains, with the columns of the table. A stream of the table reads them.
    */
  case object Appends extends FeedKind("insertions", "insertions", Vector.empty) {
    def sides: Vector[ChangeSide] = Insertions.sides
    override def rewritten: RewrittenRowsRule = RewrittenRowsRule.Hidden
    override def hasNotNull: Boolean = true
  }

  /** Changes for Spark's clause CHANGES.
    *
    * @param changeType [[FeedColumn.ChangeType]], or [[FeedColumn.PlainChangeType]] when the query
    *   does not request the images of updates
    * @param rewritten hidden unless the query requests all changes: Spark relies on the absence of
    *   carried-over rows
    * @param sharedRowIds refused when the query requests net changes, which Spark finds by row id
    */
  final case class Changelog(
      changeType: FeedColumn,
      override val rewritten: RewrittenRowsRule,
      override val sharedRowIds: SharedRowIds,
  ) extends FeedKind(
        "changes",
        "changes",
        Vector.empty,
        Vector(
          "rowid" -> FeedColumn.RowId,
          "_change_type" -> changeType,
          "_commit_version" -> FeedColumn.Snapshot,
          "_commit_timestamp" -> FeedColumn.CommitTime,
        ),
      ) {
    def sides: Vector[ChangeSide] = Changes.sides
  }

  /** Changes with the columns and rows of Delta's change data feed. */
  case object DeltaChanges
      extends FeedKind(
        "changes",
        "changes",
        Vector.empty,
        Vector(
          "_change_type" -> FeedColumn.ChangeType,
          "_commit_version" -> FeedColumn.Snapshot,
          "_commit_timestamp" -> FeedColumn.CommitTime,
        ),
      ) {
    def sides: Vector[ChangeSide] = Changes.sides
    override def rewritten: RewrittenRowsRule = RewrittenRowsRule.Hidden
  }

  /** The kinds that are metadata tables and functions. Lazy, because a kind that is used first
    * needs this object before the kind itself is initialized.
    */
  lazy val all: Vector[FeedKind] = Vector(Changes, Insertions, Deletions)

  /** The kind whose metadata table has this name. */
  def ofTable(name: String): Option[FeedKind] = {
    val lower = name.toLowerCase(Locale.ROOT)
    all.find(_.tableName == lower)
  }
}

/** The effect of a change on a row. */
sealed trait ChangeSide

object ChangeSide {
  case object Insertion extends ChangeSide
  case object Deletion extends ChangeSide
}

/** The treatment of rows whose row id other rows may share. */
sealed trait SharedRowIds

object SharedRowIds {
  case object Shown extends SharedRowIds
  case object Refused extends SharedRowIds
}
