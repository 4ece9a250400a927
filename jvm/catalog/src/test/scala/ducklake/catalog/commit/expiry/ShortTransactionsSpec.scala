package ducklake.catalog.commit.expiry

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.model.Snapshot
import ducklake.catalog.path.DataPaths
import ducklake.catalog.read.snapshot.SnapshotReader
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.concurrent.CountDownLatch

/** Short transactions beside other writers, on SQLite. */
class ShortTransactionsSpec extends AnyFunSuite with CommitFixtures {

  private final class Place {
    private val uri =
      CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.db").toString)
    val lake: Lake = Lakes.open(settings(uri))
    val head: Snapshot = lake.prepareToWrite().snapshot
    private val database = Databases.open(uri, None, 5000, PoolSettings.default, Map.empty)
    val reader = new SnapshotReader(database, new DataPaths(None, overrides = false))
    def steps(known: Snapshot): ShortTransactions =
      new ShortTransactions(database, reader, RetryPolicy(10, 5L, 1.5), "tidy up", known)
  }

  test("another writer commits between two steps") {
    val place = new Place
    val steps = place.steps(place.head)
    val base = place.lake.prepareToWrite()
    val hasBegun = new CountDownLatch(1)
    val writer = new Thread(() => {
      hasBegun.await()
      place.lake.commit(pending(base, create(base, "t"))).orThrow: Unit
    })
    writer.start()

    val seen = Iterator
      .continually(steps.once { session =>
        hasBegun.countDown()
        place.reader.newestIn(session, place.head.id).snapshot.id.value
      })
      .take(1000)
      .find(_ > place.head.id.value)
    writer.join()

    assert(seen.contains(1L))
  }

  test("all objects are changed, some of them at a time") {
    val place = new Place
    var sizes = Vector.empty[Int]

    place.steps(place.head).each(Vector.range(0, 1200)) { (_, some) =>
      sizes :+= some.size
    }

    assert(sizes.sum == 1200 && sizes.sizeIs > 1)
  }

  test("a table is gone through from its end to its begin, some of its rows at a time") {
    val place = new Place
    var parts = Vector.empty[(Long, Long)]

    place.steps(place.head).backwards(123456L, 1)((_, from, until) => parts :+= ((from, until)))
    place.steps(place.head).backwards(0L, 1)((_, _, _) => fail("an empty table has no part"))

    assert(parts.sizeIs > 1)
    assert(parts.head._2 == 123456L && parts.last._1 == 0L)
    assert(parts.zip(parts.drop(1)).forall { case ((from, _), (_, until)) => from == until })
  }

  test("steps grow while they are short, and shrink when they are long") {
    assert(ShortTransactions.nextSize(500, 10) == 1000)
    assert(ShortTransactions.nextSize(500, 200) == 500)
    assert(ShortTransactions.nextSize(500, 2000) == 250)
    assert(ShortTransactions.nextSize(250, 2000) == 250)
    assert(ShortTransactions.nextSize(5000, 1) == 5000)
  }

  test("a lake that was put back from a copy is not changed") {
    val place = new Place
    val other = place.head.copy(time = place.head.time.minusSeconds(1))

    val refused = intercept[LakeException](place.steps(other).once(_ => fail("it ran")))

    assert(refused.error.condition == "DUCKLAKE_COMMIT_CONFLICT")
  }

  test("an error after the first step says that something was done") {
    val place = new Place
    val steps = place.steps(place.head)
    def failing(): Unit = throw new LakeException(LakeError.StatementInterrupted("waited"))

    val first = intercept[LakeException](steps.whole("tidy_up")(failing()))
    val second = intercept[LakeException](steps.whole("tidy_up") {
      steps.once(_ => ())
      failing()
    })

    assert(first.error.condition == "DUCKLAKE_STATEMENT_INTERRUPTED")
    assert(
      second.error ==
        LakeError.MaintenanceIncomplete("tidy_up", "1 transaction", "it was interrupted")
    )
  }
}
