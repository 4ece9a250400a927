package ducklake.catalog.read.file

import ducklake.catalog.cache.ColumnIndexBuilder
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexBuilder
import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SnapshotId

/** Updates an older file index of a table to a later snapshot by the changes in between. After a
  * compaction or a flush the index is read again from the start, because these replace files in
  * past snapshots.
  */
private[file] final class FileIndexUpdate(
    session: Session,
    sql: IndexSql,
    head: CatalogHead,
    table: LakeTable,
    newest: SnapshotId,
) {
  private val target = head.snapshot.id

  /** The updated index; None when the older index cannot be updated. */
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

  /** Whether the older index belongs to the present history of the lake. A lake that was restored
    * from a backup may have other snapshots under the same numbers.
    */
  private def isOfThisHistory(older: FileIndex): Boolean =
    if (older.at.id == target) older.at == head.snapshot
    else session.first(sql.time(older.at.id))(_.instant(1)).contains(older.at.time)

  /** The changes of this table in later snapshots. None when some of them are not known. */
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
    val complete = merged.withColumns(columns(older, merged, types, fromId))
    new BucketIndexReader(session, sql, table)
      .advance(complete, older, fromId)
      .fold(complete)(complete.withBuckets)
  }

  /** Copies the statistics of columns whose type is unchanged, and reads the statistics of new
    * files.
    */
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
