package ducklake.catalog.listing

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** What a reader of changes requests. The last snapshot of the range is the snapshot on which the
  * request is made.
  *
  * @param from the first snapshot whose changes are returned
  * @param inlined what is done with inlined rows; None: they are not read
  * @param leftOut snapshots whose changes are left out
  */
final case class ChangeRequest(
    from: SnapshotId,
    inlined: Option[InlinedChangesRequest],
    rewritten: RewrittenRowsRule = RewrittenRowsRule.Shown,
    leftOut: Set[SnapshotId] = Set.empty,
)

/** @param columns the columns whose values are read: top-level columns of the table at the last
  *   snapshot, pruned or not
  */
final case class InlinedChangesRequest(columns: Vector[Column], receiver: ChangeReceiver)

/** Takes the changes of inlined rows one after another while they are read. */
trait ChangeReceiver {

  /** Called before the first row. When a read is repeated because its connection was lost, this is
    * called again, and the rows before it do not count.
    */
  def begin(): Unit

  /** The rows of an inlined table come in the order of row id, then begin. */
  def add(row: InlinedRowChanges): Unit
}

/** Whether rows that a compaction only moved to another file are changes. */
sealed trait RewrittenRowsRule

object RewrittenRowsRule {
  case object Shown extends RewrittenRowsRule
  case object Hidden extends RewrittenRowsRule
}

/** The changes to the rows of a table in a range of snapshots, as the catalog records them. All
  * values are read at the same moment. The table has its columns and types of the last snapshot.
  *
  * @param files the data files that may have insertions or deletions in the range, ordered by begin
  *   snapshot, then id
  * @param inlined the snapshots of the range that changed inlined rows, if these were requested
  * @param mappings the name mappings that `files` refer to
  * @param times the time of each snapshot of the range, ordered by id
  * @param hidden snapshots whose changes the reader leaves out: the snapshots that the request
  *   names, and, when moved rows are not changes, the snapshots that only moved rows of the table
  *   to other files. The receiver still gets inlined rows of the snapshots that the request names
  */
final case class ChangeListing(
    range: SnapshotRange,
    files: Vector[DataFileChanges],
    inlined: InlinedSnapshots,
    mappings: Map[MappingId, NameMapping],
    times: Vector[(SnapshotId, Instant)],
    hidden: Set[SnapshotId],
)

object ChangeListing {

  /** The changes of a range without snapshots. */
  def none(range: SnapshotRange): ChangeListing =
    ChangeListing(
      range,
      Vector.empty,
      InlinedSnapshots.none,
      Map.empty,
      Vector.empty,
      Set.empty,
    )
}

/** Snapshots that changed inlined rows. */
final case class InlinedSnapshots(inserted: Set[SnapshotId], deleted: Set[SnapshotId])

object InlinedSnapshots {
  val none: InlinedSnapshots = InlinedSnapshots(Set.empty, Set.empty)
}

/** An inlined row that was inserted in the range, or deleted in the range, or both.
  *
  * @param begin the snapshot that inserted the row; it may be before the range
  * @param ended the snapshot of the range that deleted the row
  * @param values the values of the requested columns, in their order
  */
final case class InlinedRowChanges(
    table: String,
    rowId: Long,
    begin: SnapshotId,
    ended: Option[SnapshotId],
    values: Vector[Literal],
)
