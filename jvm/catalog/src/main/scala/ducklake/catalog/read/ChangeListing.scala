package ducklake.catalog.read

import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Literal

import java.time.Instant

/** What a reader of changes requests. The last snapshot is the snapshot that is asked.
  *
  * @param from the first snapshot whose changes are returned
  * @param inlined the columns whose values are returned for inlined rows: top-level columns of the
  *   table at the last snapshot, pruned or not; None: inlined rows are not read
  */
final case class ChangeRequest(
    from: SnapshotId,
    inlined: Option[Vector[Column]],
    rewritten: RewrittenRows = RewrittenRows.Shown,
)

/** Whether rows that a compaction only moved to another file are changes. */
sealed trait RewrittenRows

object RewrittenRows {
  case object Shown extends RewrittenRows
  case object Hidden extends RewrittenRows
}

/** What a range of snapshots did to the rows of a table, as far as the catalog knows it. All values
  * are read at the same moment. Columns and types are those of the table at the last snapshot.
  *
  * @param files the data files that may have insertions or deletions in the range, ordered by begin
  *   snapshot, then id
  * @param rows the inlined rows that were inserted or deleted in the range, if requested; ordered by
  *   row id, then begin
  * @param mappings the name mappings that `files` refer to
  * @param times the time of each snapshot of the range, ordered by id
  * @param hidden snapshots that only moved rows of the table to other files, when these rows are no
  *   changes
  */
final case class ChangeListing(
    range: SnapshotRange,
    files: Vector[DataFileChanges],
    rows: Vector[InlinedRowChanges],
    mappings: Map[MappingId, NameMapping],
    times: Vector[(SnapshotId, Instant)],
    hidden: Set[SnapshotId],
)

object ChangeListing {

  /** The changes of a range without snapshots. */
  def none(range: SnapshotRange): ChangeListing =
    ChangeListing(range, Vector.empty, Vector.empty, Map.empty, Vector.empty, Set.empty)
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
