package ducklake.catalog.commit.expiry

import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.KeptSnapshot
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.option.RegisteredReader
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Finds the snapshots that expire, page by page. Snapshots with names stay, those that open
  * transactions of this process read, and those that a reader needs: the last snapshot that it has
  * read, and all later ones.
  *
  * @param head the newest snapshot when the expiry was planned; this snapshot and later ones do not
  *   expire
  * @param readersSince readers that registered before this time keep nothing
  * @param inUse the snapshots that open transactions of this process read. A transaction that begins
  *   later reads `head` or a later one
  *
  * Source: DuckDB 1.5.5, expire_snapshots. DuckDB compares times as texts on SQLite; this code
  * compares points in time.
  */
final class ExpiringSnapshots(
    database: Database,
    snapshots: SnapshotReader,
    criterion: ExpiryCriterion,
    head: SnapshotId,
    readersSince: Instant,
    inUse: Set[SnapshotId],
) {
  import ExpiringSnapshots.*

  private val sql = new ExpirySql(database.dialect)

  private lazy val known: Needs =
    database.consistent("read the names and readers of snapshots")(needsIn)

  private def needsIn(session: Session): Needs = {
    val readers = snapshots.readersIn(session)
    val (late, live) = readers.partition(_.at.isBefore(readersSince))
    Needs(snapshots.namedIn(session), inUse, live, late)
  }

  /** The ids, increasing, in pages. Each page is read when it is needed, by a separate statement.
    */
  def pages: Iterator[Vector[SnapshotId]] = expiring(BeforeAll)

  private def expiring(after: SnapshotId): Iterator[Vector[SnapshotId]] =
    wanted(after, before(known.firstRead)).map(_.filterNot(known.isHeld)).filter(_.nonEmpty)

  /** Those of the ids that nothing needs now, read in the transaction of the session. */
  def stillIn(session: Session, ids: Vector[SnapshotId]): Vector[SnapshotId] = {
    val now = needsIn(session)
    ids.filterNot(id => now.isHeld(id) || now.isRead(id))
  }

  /** The snapshots that would expire if nothing needed them, increasing.
    *
    * @param most how many of those that only readers need
    */
  def kept(most: Int): Vector[SnapshotId] = {
    val there = known.isHeld.toVector.grouped(PageSize).flatMap(some => page(sql.expiring(some)))
    val held = there.collect { case (id, at) if id.value < head.value && isWanted(id, at) => id }
    val read = known.firstRead.iterator.flatMap { first =>
      wanted(SnapshotId(first.value - 1), head).flatten.take(most)
    }
    (held ++ read).distinct.toVector.sortBy(_.value)
  }

  /** Why the snapshot stays. */
  def reasons(info: SnapshotInfo): KeptSnapshot = {
    val id = info.snapshot.id
    KeptSnapshot(
      info,
      known.names.filter(_.id == id).map(_.name),
      known.live.filter(_.read.value <= id.value),
      inUse(id),
    )
  }

  /** The readers that registered too long ago and lose snapshots, or have lost them already. */
  def stranded: Vector[RegisteredReader] =
    known.late.filter { reader =>
      expiring(SnapshotId(reader.read.value - 1)).nonEmpty || isGone(reader.read)
    }

  private def isGone(id: SnapshotId): Boolean = page(sql.expiring(Vector(id))).isEmpty

  private def isWanted(id: SnapshotId, at: Instant): Boolean = criterion match {
    case ExpiryCriterion.OlderThan(time) => at.isBefore(time)
    case ExpiryCriterion.Versions(ids) => ids(id)
  }

  private def before(first: Option[SnapshotId]): SnapshotId =
    first.filter(_.value < head.value).getOrElse(head)

  /** The snapshots that satisfy the criterion, between the two ids. */
  private def wanted(after: SnapshotId, below: SnapshotId): Iterator[Vector[SnapshotId]] =
    criterion match {
      case ExpiryCriterion.OlderThan(time) => olderThan(time, after, below)
      case ExpiryCriterion.Versions(ids) =>
        val between = ids.filter(id => after.value < id.value && id.value < below.value)
        between.toVector
          .sortBy(_.value)
          .grouped(PageSize)
          .map(some => page(sql.expiring(some)).map { case (id, _) => id })
          .filter(_.nonEmpty)
    }

  /** The statement may also find snapshots that are not older, when the database sorts stored times
    * in another order.
    */
  private def olderThan(
      time: Instant,
      after: SnapshotId,
      below: SnapshotId,
  ): Iterator[Vector[SnapshotId]] =
    Iterator
      .unfold(after) { last =>
        val found = page(sql.expiring(time, last, below, PageSize))
        found.lastOption.map { case (id, _) => (found, id) }
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

  /** What keeps snapshots.
    *
    * @param live the readers that count
    * @param late the readers that registered too long ago
    */
  private final case class Needs(
      names: Vector[NamedSnapshot],
      inUse: Set[SnapshotId],
      live: Vector[RegisteredReader],
      late: Vector[RegisteredReader],
  ) {

    /** The snapshots that stay alone, and not because of all later ones. */
    val isHeld: Set[SnapshotId] = names.map(_.id).toSet ++ inUse

    /** The first snapshot that a reader needs. */
    val firstRead: Option[SnapshotId] = live.map(_.read).minByOption(_.value)

    def isRead(id: SnapshotId): Boolean = firstRead.exists(_.value <= id.value)
  }
}
