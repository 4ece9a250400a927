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
import ducklake.catalog.model.Snapshot
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
    newest: Snapshot,
) {
  private val target = head.snapshot.id

  /** The updated index; None when the older index cannot be updated, or when as much must be read
    * for that as for an index from the start.
    */
  def advance(older: FileIndex, types: Map[ColumnId, LakeType.Primitive]): Option[FileIndex] = {
    // Files of a past snapshot are replaced by later snapshots, so those that were seen count.
    val isSame = older.at == head.snapshot
    val known = if (isSame) older.checkedAt else older.at
    if (isSame && known == newest) Some(older)
    else if (newest.id.value - known.id.value > FileIndexUpdate.mostSnapshots(older)) None
    else if (!isOfThisHistory(known)) None
    else
      kindsSince(known.id).filter(_.forall(isFollowed)).map { kinds =>
        if (isSame) older.checked(newest)
        else merge(older, types, isDeleted = kinds(ChangeKind.DeletedFrom))
      }
  }

  /** Whether the snapshot belongs to the present history of the lake. A lake that was restored from
    * a backup may have other snapshots under the same numbers.
    */
  private def isOfThisHistory(known: Snapshot): Boolean =
    session.first(sql.time(known.id))(_.instant(1)).contains(known.time)

  /** The kinds of changes of this table in later snapshots. None when some changes are not known.
    */
  private def kindsSince(known: SnapshotId): Option[Set[ChangeKind]] = {
    var count = 0L
    var isKnown = true
    val kinds = Set.newBuilder[ChangeKind]
    session.foreach(sql.changesAfter(known)) { row =>
      count += 1
      row.textOption(2).flatMap(ChangeText.parse(_).toOption) match {
        case None => isKnown = false
        case Some(changes) =>
          changes.foreach {
            case Change(kind, ChangeSubject.Numbered(table.id.value)) => kinds += kind
            case _ =>
          }
      }
    }
    Option.when(isKnown && count == newest.id.value - known.value)(kinds.result())
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

private[file] object FileIndexUpdate {
  private val FewSnapshots = 10000L

  /** How many later snapshots are read at most: about as many rows as an index has that is read from
    * the start.
    */
  private def mostSnapshots(older: FileIndex): Long = FewSnapshots.max(older.size.toLong)
}
