package ducklake.catalog.read

import ducklake.catalog.cache.ColumnIndexBuilder
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexBuilder
import ducklake.catalog.change.Change
import ducklake.catalog.change.ChangeKind
import ducklake.catalog.change.ChangeSubject
import ducklake.catalog.change.ChangeText
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.sql.IndexSql
import ducklake.catalog.types.LakeType

/** Brings an older index of a table up to a snapshot by what the snapshots in between did to the
  * table. Compactions and flushes replace files in snapshots that are past: after them the index is
  * read anew.
  */
private[read] final class FileIndexUpdate(
    session: Session,
    sql: IndexSql,
    head: CatalogHead,
    table: LakeTable,
    newest: SnapshotId,
) {
  private val target = head.snapshot.id

  /** None when the index is of no use any more. */
  def advance(older: FileIndex, types: Map[ColumnId, LakeType.Primitive]): Option[FileIndex] =
    if (!isOfThisHistory(older)) None
    else if (older.at.id == target && older.checkedAt == newest) Some(older)
    else
      changesSince(older.at.id).filter(_.forall { case (_, kind) => isFollowed(kind) }).map {
        kinds =>
          if (older.at.id == target) older.checked(newest)
          else {
            val isDeleted = kinds.exists { case (id, kind) =>
              kind == ChangeKind.DeletedFrom && id.value <= target.value
            }
            merge(older, types, isDeleted)
          }
      }

  /** A lake that was put back from a copy may have other snapshots under the same numbers. */
  private def isOfThisHistory(older: FileIndex): Boolean =
    if (older.at.id == target) older.at == head.snapshot
    else session.first(sql.time(older.at.id))(_.instant(1)).contains(older.at.time)

  /** What later snapshots did to this table. None when that cannot be told. */
  private def changesSince(base: SnapshotId): Option[Vector[(SnapshotId, ChangeKind)]] = {
    val rows = session.query(sql.changesAfter(base)) { row =>
      (SnapshotId(row.long(1)), row.textOption(2))
    }
    val parsed = rows.map { case (id, text) =>
      text.flatMap(ChangeText.parse(_).toOption).map(changes => changes.map(id -> _))
    }
    Option.when(rows.size == newest.value - base.value && parsed.forall(_.nonEmpty)) {
      parsed.flatten.flatten.collect {
        case (id, Change(kind, ChangeSubject.Numbered(table.id.value))) => id -> kind
      }
    }
  }

  private def isFollowed(kind: ChangeKind): Boolean = kind match {
    case ChangeKind.InsertedInto | ChangeKind.DeletedFrom | ChangeKind.AlteredTable |
        ChangeKind.InlinedInsert | ChangeKind.InlinedDelete =>
      true
    case _ => false
  }

  private def merge(
      older: FileIndex,
      types: Map[ColumnId, LakeType.Primitive],
      isDeleted: Boolean,
  ): FileIndex = {
    val fromId = older.at.nextFileId
    val ended =
      if (isDeleted) session.query(sql.ended(table.id, older.at.id, target))(_.long(1)).toSet
      else Set.empty[Long]
    val files = new FileIndexBuilder
    files.addAll(older, ended)
    session.foreach(sql.files(table.id, target, fromId)) { row =>
      files.add(row.long(1), row.long(2), row.longOr(3, -1))
    }
    val merged = files.build(head.snapshot, newest)
    merged.withColumns(columns(older, merged, types, fromId))
  }

  /** Columns whose type is still the same keep what is known of them. */
  private def columns(
      older: FileIndex,
      merged: FileIndex,
      types: Map[ColumnId, LakeType.Primitive],
      fromId: Long,
  ) = {
    val same = older.columns.filter { case (id, column) => types.get(id).contains(column.dataType) }
    val builders = same.map { case (id, column) =>
      id -> new ColumnIndexBuilder(column.dataType, merged.size)
    }
    merged.ids.indices.foreach { at =>
      val before = older.position(merged.ids(at), at)
      if (before >= 0) builders.foreach { case (id, builder) => builder.copy(at, same(id), before) }
    }
    if (builders.nonEmpty && merged.ids.lastOption.exists(_ >= fromId))
      FileIndexReader.fill(session, sql, table, merged, builders, fromId)
    builders.map { case (id, builder) => id -> builder.build() }
  }
}
