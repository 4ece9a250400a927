package ducklake.catalog.read.feed

import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.query.ChangeFeedSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Reads the `changes_made` entries about one table in a range of snapshots. */
final class TableEntriesReader(database: Database, snapshots: SnapshotReader) {
  import TableEntriesReader.PageSize

  /** The entries of the snapshots from `from` to the snapshot of `head`, ordered by snapshot.
    * Snapshots without an entry of the table are left out.
    *
    * Errors: NoSuchSnapshot when the snapshot of `head` has expired.
    */
  def entries(head: CatalogHead, table: LakeTable, from: SnapshotId): Vector[TableEntries] = {
    val range = SnapshotRange(from, head.snapshot.id)
    if (range.isEmpty) Vector.empty
    else
      database
        .consistent(s"read what snapshots did to ${table.qualifiedName}") { session =>
          snapshots.stillIn(session, head): Unit
          pages(session, head, table.id, range).flatten.toVector
        }
  }

  /** The first entries from snapshot `from` to the snapshot of `head` that satisfy `isWanted`.
    * Later snapshots are not read.
    *
    * Errors: NoSuchSnapshot when the snapshot of `head` has expired.
    */
  def first(head: CatalogHead, table: TableId, from: SnapshotId)(
      isWanted: TableEntries => Boolean
  ): Option[TableEntries] = {
    val range = SnapshotRange(from, head.snapshot.id)
    if (range.isEmpty) None
    else
      database.consistent("read what snapshots did to a table") { session =>
        snapshots.stillIn(session, head): Unit
        pages(session, head, table, range).flatten.find(isWanted)
      }
  }

  private def pages(
      session: Session,
      head: CatalogHead,
      table: TableId,
      range: SnapshotRange,
  ): Iterator[Vector[TableEntries]] = {
    val sql = new ChangeFeedSql(database.dialect, head.version)
    val subject = ChangeSubject.Numbered(table.value)
    def page(rest: SnapshotRange): Vector[TableEntries] =
      session.query(sql.entries(table, rest, PageSize)) { row =>
        val all = ChangeText.parse(row.text(2)).fold(e => throw new LakeException(e), identity)
        TableEntries(SnapshotId(row.long(1)), all.filter(_.subject == subject))
      }
    Iterator.unfold(Option(range)) {
      case None => None
      case Some(rest) =>
        val found = page(rest)
        val next = Option.when(found.size == PageSize) {
          rest.copy(first = SnapshotId(found.last.snapshot.value + 1))
        }
        Some((found.filter(_.changes.nonEmpty), next))
    }
  }

  /** Whether each snapshot after `since`, up to the snapshot of `head`, still exists and has no
    * entry of the table. False when `since` or `head` is not a snapshot of this lake any more.
    */
  def isUntouched(head: CatalogHead, table: LakeTable, since: Snapshot): Boolean = {
    val now = head.snapshot
    val sql = new ChangeFeedSql(database.dialect, head.version)
    database
      .single(s"read whether ${table.qualifiedName} was changed") { session =>
        session.first(sql.without(table.id, since.id, now.id)) { row =>
          row.long(1) == now.id.value - since.id.value &&
          row.instantOption(2).contains(since.time) && row.instantOption(3).contains(now.time)
        }
      }
      .contains(true)
  }
}

private object TableEntriesReader {

  /** The number of snapshots that one statement reads. */
  val PageSize = 1000
}
