package ducklake.catalog.read.snapshot

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.model.SnapshotOrder
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.query.SnapshotSql
import ducklake.catalog.types.SnapshotId

/** How many snapshots of a range have not expired, and how many of these have a row with their
  * changes.
  */
final case class SnapshotCounts(kept: Long, withChanges: Long)

/** Lists snapshots. A lake may have millions of them. */
final class SnapshotListReader(database: Database) {
  import SnapshotListReader.*

  private val sql = new SnapshotSql(database.dialect)

  /** The requested snapshots, in the order of the request. Each page is read when it is needed, by
    * a separate statement.
    */
  def list(version: FormatVersion, request: SnapshotRequest): Iterator[SnapshotInfo] =
    Iterator
      .unfold(Option(request)) {
        case None => None
        case Some(rest) =>
          val wanted = (rest.limit ++ rest.hoped.map(_.max(1))).foldLeft(PageSize)(_.min(_))
          val page = database.single("read the snapshots")(
            _.query(sql.list(version, rest, wanted))(decode)
          )
          val isLast = page.size < wanted || rest.limit.contains(wanted)
          Some((page, Option.when(!isLast)(after(page.last, rest, wanted))))
      }
      .flatten

  private def after(last: SnapshotInfo, done: SnapshotRequest, read: Int): SnapshotRequest = {
    val id = last.snapshot.id.value
    val rest = done.order match {
      case SnapshotOrder.OldestFirst => done.copy(first = Some(SnapshotId(id + 1)))
      case SnapshotOrder.NewestFirst => done.copy(last = Some(SnapshotId(id - 1)))
    }
    rest.copy(limit = done.limit.map(_ - read), hoped = done.hoped.map(_ => read * Growth))
  }

  /** These snapshots, ordered by id. Expired snapshots are left out. */
  def infos(version: FormatVersion, ids: Vector[SnapshotId]): Vector[SnapshotInfo] =
    ids
      .grouped(PageSize)
      .flatMap { some =>
        database.single("read snapshots")(_.query(sql.list(version, some))(decode))
      }
      .toVector

  def count(range: SnapshotRange): SnapshotCounts =
    database
      .single("count the snapshots") { session =>
        session.first(sql.count(range))(row => SnapshotCounts(row.long(1), row.long(2)))
      }
      .getOrElse(SnapshotCounts(0L, 0L))

  private def decode(row: Row): SnapshotInfo =
    SnapshotInfo(
      HeadRow.snapshot(row),
      row.textOption(6),
      row.textOption(7),
      row.textOption(8),
      row.textOption(9),
    )
}

private object SnapshotListReader {

  /** The number of snapshots in memory at a time. */
  val PageSize = 1000

  /** How much larger a page is than the one before, when fewer were hoped for. */
  private val Growth = 4
}
