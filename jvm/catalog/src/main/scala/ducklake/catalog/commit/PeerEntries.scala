package ducklake.catalog.commit

import ducklake.catalog.change.Change
import ducklake.catalog.change.ChangeKind
import ducklake.catalog.change.ChangeSubject
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.CommitSql
import ducklake.catalog.sql.InlinedSql

/** Changes that a commit tells without having done them: DuckDB heeds no other word for what it did
  * (decision 0007). Commits of our own know better.
  */
private[commit] final class PeerEntries(session: Session, sql: CommitSql) {
  import PeerEntries.contains

  /** What each snapshot did.
    *
    * @param snapshots what each snapshot since the base tells
    * @param tables those that matter; of others the warnings stay
    */
  def without(
      snapshots: Vector[(Long, Vector[Change])],
      tables: Set[TableId],
  ): Vector[(Long, Vector[Change])] = {
    val flushed =
      tables.filter(table => snapshots.exists(each => contains(each._2, ChangeKind.Flush, table)))
    snapshots.map { case (snapshot, changes) =>
      val at = SnapshotId(snapshot)
      val entries = tables.filter(contains(changes, ChangeKind.DeletedFrom, _)).flatMap { table =>
        Set(ChangeKind.InlinedDelete, ChangeKind.InsertedInto)
          .filter(contains(changes, _, table))
          .filterNot {
            case ChangeKind.InsertedInto => hasFiles(table, at)
            case _ => flushed(table) || hasDeletes(table, at)
          }
          .map(PeerEntries.change(_, table))
      }
      snapshot -> changes.filterNot(entries)
    }
  }

  private def hasFiles(table: TableId, at: SnapshotId): Boolean =
    session.first(sql.countFilesOf(table, at))(_.long(1)).exists(_ > 0)

  /** Whether the snapshot deleted in the catalog. After a flush nobody knows. */
  private def hasDeletes(table: TableId, at: SnapshotId): Boolean = {
    val deletes = Option(InlinedSql.deletesTable(table)).filter(session.hasTable)
    val rows = session.query(sql.inlinedTables(table))(_.text(1))
    val questions = deletes.map(sql.countDeletesOf(_, at)) ++ rows.map(sql.countEndedOf(_, at))
    questions.exists(session.first(_)(_.long(1)).exists(_ > 0))
  }
}

private object PeerEntries {

  private def change(kind: ChangeKind, table: TableId): Change =
    Change(kind, ChangeSubject.Numbered(table.value))

  private def contains(changes: Vector[Change], kind: ChangeKind, table: TableId): Boolean =
    changes.contains(change(kind, table))
}
