package ducklake.catalog.change.plan

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** The tables that an undone commit changed, created, renamed or dropped. */
final case class UndoScope(tables: Set[TableId])

/** Why a commit cannot be undone. */
sealed trait UndoRefusal

object UndoRefusal {

  /** The commit changed no table: it has no entry, such as a commit of properties of schemas, or no
    * entry of a known table.
    */
  case object NoTable extends UndoRefusal

  /** The commit changed something other than tables. */
  final case class NotATable(change: Change) extends UndoRefusal

  /** A later snapshot changed one of the commit's tables. */
  final case class ChangedSince(snapshot: SnapshotId, change: Change) extends UndoRefusal
}

object UndoScope {
  import ChangeKind.*

  /** @param undone the changes of the commit
    * @param named the table that has a name after the commit: its entries of created and renamed
    *   tables have no id
    * @param firstSince the first snapshot after the commit whose entries of a table satisfy the
    *   condition
    */
  def of(
      undone: Vector[Change],
      named: Vector[String] => Option[TableId],
      firstSince: (TableId, TableEntries => Boolean) => Option[TableEntries],
  ): Either[UndoRefusal, UndoScope] =
    undone.find(change => !ofTables(change.kind)) match {
      case Some(other) => Left(UndoRefusal.NotATable(other))
      case None =>
        val tables = undone.map(_.subject).flatMap(table(_, named)).toSet
        if (tables.isEmpty) Left(UndoRefusal.NoTable)
        else changedSince(tables, firstSince).toLeft(UndoScope(tables))
    }

  private def changedSince(
      tables: Set[TableId],
      firstSince: (TableId, TableEntries => Boolean) => Option[TableEntries],
  ): Option[UndoRefusal] = {
    def changeIn(entries: TableEntries): Option[Change] =
      entries.changes.find(isChange(_, entries.changes))
    val touching = for {
      table <- tables.toVector
      entries <- firstSince(table, changeIn(_).nonEmpty)
      change <- changeIn(entries)
    } yield UndoRefusal.ChangedSince(entries.snapshot, change)
    touching.minByOption(_.snapshot.value)
  }

  private def table(
      subject: ChangeSubject,
      named: Vector[String] => Option[TableId],
  ): Option[TableId] =
    subject match {
      case ChangeSubject.Numbered(id) => Some(TableId(id))
      case ChangeSubject.Named(parts) => named(parts)
    }

  /** Whether an entry is about more than a compaction. Merges and rewrites do not change the rows
    * of a table. A flush may have entries for deletes, which cannot be distinguished from deletes
    * of rows.
    *
    * @param changes all changes of the snapshot
    */
  def isChange(change: Change, changes: Vector[Change]): Boolean =
    !keepsRows(change.kind) && !belongsToCompaction(change, changes)

  /** Whether an entry for an insert only accompanies a merge or a rewrite (decisions 14 and 15),
    * which add no row.
    */
  private def belongsToCompaction(change: Change, changes: Vector[Change]): Boolean =
    change.kind == InsertedInto &&
      Vector(MergeAdjacent, RewriteDelete).exists(kind =>
        changes.contains(change.copy(kind = kind))
      )

  private val keepsRows: Set[ChangeKind] = Set(MergeAdjacent, RewriteDelete, Compacted)

  private val ofTables: Set[ChangeKind] = keepsRows ++ Set(
    CreatedTable,
    DroppedTable,
    AlteredTable,
    InsertedInto,
    DeletedFrom,
    InlinedInsert,
    InlinedDelete,
    Flush,
    OldFlush,
  )
}
