package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Entries that a commit writes to `changes_made` only to make DuckDB see a conflict (decision
  * 02). This class removes them from the changes of other commits, so that our own conflict check
  * ignores them.
  */
private[check] final class DuckDbConflictMarkers(
    session: Session,
    sql: CommitSql,
    inlined: InlinedSql,
) {
  import DuckDbConflictMarkers.contains

  /** The changes of each snapshot without the peer entries.
    *
    * @param snapshots the entries in `changes_made` of each snapshot since the base
    * @param tables the tables to check; the peer entries of other tables are not removed
    */
  def without(
      snapshots: Vector[(Long, Vector[Change])],
      tables: Set[TableId],
  ): Vector[(Long, Vector[Change])] = {
    val flushed =
      tables.filter(table => snapshots.exists(each => contains(each._2, ChangeKind.Flush, table)))
    snapshots.map { case (snapshot, changes) =>
      val at = SnapshotId(snapshot)
      val merged = tables
        .filter(contains(changes, ChangeKind.MergeAdjacent, _))
        .filterNot(mayHaveRows(_, at))
        .map(DuckDbConflictMarkers.change(ChangeKind.InsertedInto, _))
      val rewritten = tables
        .filter(DuckDbConflictMarkers.isOnlyRewritten(changes, _))
        .filterNot(hasNewRows(_, at))
        .map(DuckDbConflictMarkers.change(ChangeKind.InsertedInto, _))
      val deleted = tables.filter(contains(changes, ChangeKind.DeletedFrom, _)).flatMap { table =>
        Set(ChangeKind.InlinedDelete, ChangeKind.InsertedInto)
          .filter(contains(changes, _, table))
          .filterNot {
            case ChangeKind.InsertedInto => mayHaveRows(table, at)
            case _ => flushed(table) || hasDeletes(table, at)
          }
          .map(DuckDbConflictMarkers.change(_, table))
      }
      val flushedDeletes = tables
        .filter(DuckDbConflictMarkers.mayBeFlushOfDeletes(changes, _))
        .filterNot(mayHaveRows(_, at))
        .map(DuckDbConflictMarkers.change(ChangeKind.DeletedFrom, _))
      snapshot -> changes.filterNot(merged ++ rewritten ++ deleted ++ flushedDeletes)
    }
  }

  /** Whether a file of the table may have rows that the snapshot added. A later merge removes the
    * snapshot's own files, and puts their rows into a file that begins earlier.
    */
  private def mayHaveRows(table: TableId, at: SnapshotId): Boolean =
    session.first(sql.countFilesAround(table, at))(_.long(1)).exists(_ > 0)

  /** Whether the snapshot added files with new rows. The files of a rewrite have no first row id.
    */
  private def hasNewRows(table: TableId, at: SnapshotId): Boolean =
    session.first(sql.countFilesWithRowId(table, at))(_.long(1)).exists(_ > 0)

  /** Whether the snapshot added inlined deletes or ended inlined rows. After a flush this is
    * unknown, because the flush removes them from the catalog.
    */
  private def hasDeletes(table: TableId, at: SnapshotId): Boolean = {
    val deletes = Option(InlinedSql.deletesTable(table)).filter(session.hasTable)
    val rows = session.query(sql.inlinedTables(table))(_.text(1))
    val questions = deletes.map(sql.countDeletesOf(_, at)) ++ rows.map(inlined.countEndedAt(_, at))
    questions.exists(session.first(_)(_.long(1)).exists(_ > 0))
  }
}

private object DuckDbConflictMarkers {

  private def change(kind: ChangeKind, table: TableId): Change =
    Change(kind, ChangeSubject.Numbered(table.value))

  /** Whether a snapshot rewrote files of the table and deleted none of its rows. The file of an
    * update has no first row id either.
    */
  private def isOnlyRewritten(changes: Vector[Change], table: TableId): Boolean =
    contains(changes, ChangeKind.RewriteDelete, table) &&
      !contains(changes, ChangeKind.DeletedFrom, table) &&
      !contains(changes, ChangeKind.InlinedDelete, table)

  /** Whether the entries of a table may come from our flush of deletes, which deletes no rows. A
    * DuckDB transaction that deletes, inserts and flushes has the same entries, but also inserted
    * rows.
    */
  private def mayBeFlushOfDeletes(changes: Vector[Change], table: TableId): Boolean =
    Vector(ChangeKind.Flush, ChangeKind.DeletedFrom, ChangeKind.InsertedInto)
      .forall(contains(changes, _, table)) &&
      !Vector(ChangeKind.InlinedInsert, ChangeKind.InlinedDelete)
        .exists(contains(changes, _, table))

  private def contains(changes: Vector[Change], kind: ChangeKind, table: TableId): Boolean =
    changes.contains(change(kind, table))
}
