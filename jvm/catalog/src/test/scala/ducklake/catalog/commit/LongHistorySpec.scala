package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.model.SnapshotOrder
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.model.SnapshotTexts
import ducklake.catalog.read.snapshot.SnapshotCounts
import ducklake.catalog.testkit.RaisedLake
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path
import java.time.Instant

/** A lake with more snapshots than are read at a time. */
class LongHistorySpec extends AnyFunSuite with CommitFixtures {

  private val last = 25000L

  /** A snapshot a minute, of which every second one changed table 1. */
  private def longLake(): (Lake, Path) = {
    val place = Files.createTempDirectory("lake").resolve("lake.db")
    val lake = Lakes.open(settings(CatalogUri.Sqlite(place.toString)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    RaisedLake.run(place, LongHistory.snapshots(last)*)
    (lake, place)
  }

  private def timeOf(id: Long): Instant = LongHistory.Begin.plusSeconds(60 * id)

  private def ids(lake: Lake, request: SnapshotRequest): Vector[Long] =
    lake.listSnapshots(request).map(_.snapshot.id.value).toVector

  test("snapshots are listed in order, page by page") {
    val (lake, _) = longLake()
    val all = SnapshotRequest()

    assert(ids(lake, all) == (0L to last).toVector)
    assert(ids(lake, all.copy(order = SnapshotOrder.NewestFirst)) == (last to 0L by -1).toVector)
    assert(ids(lake, all.copy(limit = Some(1500))) == (0L until 1500L).toVector)
    assert(ids(lake, all.copy(limit = Some(2000))) == (0L until 2000L).toVector)
    val newest = all.copy(order = SnapshotOrder.NewestFirst, limit = Some(3))
    assert(ids(lake, newest) == Vector(last, last - 1, last - 2))
    val some = all.copy(first = Some(SnapshotId(700)), last = Some(SnapshotId(2700)))
    assert(ids(lake, some) == (700L to 2700L).toVector)
    val timed = all.copy(since = Some(timeOf(900)), until = Some(timeOf(902)))
    assert(ids(lake, timed) == Vector(900L, 901L, 902L))
    val named = all.copy(table = Some(TableId(1)), first = Some(SnapshotId(0)))
    assert(ids(lake, named).filter(_ > 1) == (2L to last by 2).toVector)
  }

  test("a listing is read no further than it is used, and without texts when none are wanted") {
    val (lake, place) = longLake()
    RaisedLake.run(
      place,
      "UPDATE ducklake_snapshot SET snapshot_time = 'torn' WHERE snapshot_id = 1200",
    )

    val listed = lake.listSnapshots(SnapshotRequest(texts = SnapshotTexts.LeftOut))
    val begin = listed.take(1000).toVector

    assert(begin.map(_.snapshot.id.value) == (0L until 1000L).toVector)
    assert(begin.forall(_.changesMade.isEmpty))
    assert(lake.listSnapshots(SnapshotRequest(limit = Some(3))).forall(_.changesMade.nonEmpty))
  }

  test("an expiry removes all that are older, and shows the first of them") {
    val (lake, place) = longLake()

    val plan = lake.planExpiry(ExpiryCriterion.OlderThan(timeOf(20000))).getOrElse(fail("no plan"))
    val done = lake.expire(plan)

    assert(plan.listed.map(_.snapshot.id.value) == (0L until 10000L).toVector)
    assert(plan.listed.size == ExpiryPlan.MostListed && plan.listed(2).changesMade.nonEmpty)
    assert(done.snapshots == 20000L)
    assert(ids(lake, SnapshotRequest()) == (20000L to last).toVector)
    val texts = RaisedLake.ask(place, "SELECT COUNT(*) FROM ducklake_snapshot_changes")
    assert(texts == Vector(Vector((last - 19999).toString)))
  }

  test("an expiry compares points in time where texts do not sort as times do") {
    val (lake, place) = longLake()
    // The same time as before in another zone, which sorts behind the limit.
    val odd = timeOf(100).plusSeconds(3600 * 14).toString.replace("T", " ").replace("Z", "+14")
    RaisedLake.run(
      place,
      s"UPDATE ducklake_snapshot SET snapshot_time = '$odd' WHERE snapshot_id = 100",
      "UPDATE ducklake_snapshot SET snapshot_time = '2099-01-01 00:00:00+00' WHERE snapshot_id = 50",
    )

    val plan = lake.planExpiry(ExpiryCriterion.OlderThan(timeOf(200))).getOrElse(fail("no plan"))

    assert(lake.atOrBefore(timeOf(100)).snapshot.id.value == 100L)
    assert(lake.expire(plan).snapshots == 199L)
    assert(ids(lake, SnapshotRequest(last = Some(SnapshotId(201)))) == Vector(50L, 200L, 201L))
  }

  test("the newest snapshot and later ones never expire") {
    val (lake, _) = longLake()
    val plan =
      lake.planExpiry(ExpiryCriterion.OlderThan(timeOf(last + 99))).getOrElse(fail("no plan"))
    val base = lake.prepareToWrite()
    lake.commit(pending(base, create(base, "u"))).orThrow

    assert(lake.expire(plan).snapshots == last)
    assert(ids(lake, SnapshotRequest()) == Vector(last, last + 1))
  }

  test("a range of changes is found by times") {
    val (lake, _) = longLake()
    def between(from: Long, to: Long) = lake
      .changeRange(
        ChangeBound.time(LongHistory.Begin.plusSeconds(from)),
        ChangeBound.time(LongHistory.Begin.plusSeconds(to)),
      )
      .fold(error => fail(error.message), range => (range.first.value, range.last.value))

    assert(between(from = 600, to = 1200) == ((10L, 20L)))
    assert(between(from = 601, to = 1199) == ((11L, 19L)))
  }

  test("the first snapshot that named a table is found among very many") {
    val (lake, _) = longLake()
    val newest = lake.newest().getOrElse(fail("no lake"))
    def first(from: Long, name: Long = 1L) = newest
      .firstEntries(TableId(name), SnapshotId(from))(_.mayChangeRows)
      .map(_.snapshot.value)

    assert(first(3).contains(4L))
    assert(first(last - 1).contains(last))
    assert(first(last + 1).isEmpty)
    assert(first(3, name = 9L).isEmpty)
    assert(newest.entries(tableOf(newest, "t"), SnapshotId(3)).size == (last / 2 - 1).toInt)
  }

  test("snapshots of a range are counted, with those whose changes are known") {
    val (lake, place) = longLake()
    val range = SnapshotRange(SnapshotId(10), SnapshotId(19))
    RaisedLake.run(
      place,
      "DELETE FROM ducklake_snapshot WHERE snapshot_id = 11",
      "DELETE FROM ducklake_snapshot_changes WHERE snapshot_id IN (11, 12, 13)",
    )

    assert(lake.countSnapshots(range) == SnapshotCounts(kept = 9L, withChanges = 7L))
    assert(lake.timeOf(SnapshotId(11)).isEmpty)
    assert(lake.timeOf(SnapshotId(12)).contains(timeOf(12)))
    assert(lake.newestTime().contains((SnapshotId(last), timeOf(last))))
  }
}
