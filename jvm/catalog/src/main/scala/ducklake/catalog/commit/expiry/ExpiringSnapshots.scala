package ducklake.catalog.commit.expiry

import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.Database
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Finds the snapshots that expire, page by page. Snapshots with names stay.
  *
  * @param head the newest snapshot when the expiry was planned; this snapshot and later ones do not
  *   expire
  *
  * Source: DuckDB 1.5.5, expire_snapshots. DuckDB compares times as texts on SQLite; this code
  * compares points in time.
  */
final class ExpiringSnapshots(
    database: Database,
    snapshots: SnapshotReader,
    criterion: ExpiryCriterion,
    head: SnapshotId,
) {
  import ExpiringSnapshots.PageSize

  private val sql = new ExpirySql(database.dialect)

  private lazy val named: Vector[NamedSnapshot] =
    database.single("read the names of snapshots")(snapshots.namedIn)

  /** The snapshots with names that would expire without them, ordered by name. */
  def kept: Vector[NamedSnapshot] = {
    val there = named.map(_.id).distinct.grouped(PageSize).flatMap(ids => page(sql.expiring(ids)))
    val wanted = there.collect { case (id, at) if id.value < head.value && isWanted(id, at) => id }
    val ids = wanted.toSet
    named.filter(one => ids(one.id))
  }

  private def isWanted(id: SnapshotId, at: Instant): Boolean = criterion match {
    case ExpiryCriterion.OlderThan(time) => at.isBefore(time)
    case ExpiryCriterion.Versions(ids) => ids(id)
  }

  /** The ids, increasing, in pages. Each page is read when it is needed, by a separate statement.
    */
  def pages: Iterator[Vector[SnapshotId]] = {
    val stay = named.map(_.id).toSet
    wanted.map(_.filterNot(stay)).filter(_.nonEmpty)
  }

  private def wanted: Iterator[Vector[SnapshotId]] = criterion match {
    case ExpiryCriterion.OlderThan(time) => olderThan(time)
    case ExpiryCriterion.Versions(ids) =>
      val wanted = ids.filter(_.value < head.value).toVector.sortBy(_.value)
      wanted
        .grouped(PageSize)
        .map(some => page(sql.expiring(some)).map { case (id, _) => id })
        .filter(_.nonEmpty)
  }

  /** The statement may also find snapshots that are not older, when the database sorts stored times
    * in another order.
    */
  private def olderThan(time: Instant): Iterator[Vector[SnapshotId]] =
    Iterator
      .unfold(ExpiringSnapshots.BeforeAll) { after =>
        val found = page(sql.expiring(time, after, head, PageSize))
        found.lastOption.map { case (last, _) => (found, last) }
      }
      .map(_.collect { case (id, at) if at.isBefore(time) => id })
      .filter(_.nonEmpty)

  private def page(question: Sql): Vector[(SnapshotId, Instant)] =
    database.single("look for snapshots that expire") { session =>
      session.query(question)(row => (SnapshotId(row.long(1)), row.instant(2)))
    }
}

private object ExpiringSnapshots {
  private val PageSize = 5000
  private val BeforeAll = SnapshotId(-1L)
}
