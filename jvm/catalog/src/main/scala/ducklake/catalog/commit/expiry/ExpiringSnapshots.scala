package ducklake.catalog.commit.expiry

import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Finds the snapshots that expire, page by page.
  *
  * @param head the newest snapshot when the expiry was planned; this snapshot and later ones do not
  *   expire
  *
  * Source: DuckDB 1.5.5, expire_snapshots. DuckDB compares times as texts on SQLite; this code
  * compares points in time.
  */
final class ExpiringSnapshots(database: Database, criterion: ExpiryCriterion, head: SnapshotId) {
  import ExpiringSnapshots.PageSize

  private val sql = new ExpirySql(database.dialect)

  /** The ids, increasing, in pages. Each page is read when it is needed, by a separate statement.
    */
  def pages: Iterator[Vector[SnapshotId]] = criterion match {
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
