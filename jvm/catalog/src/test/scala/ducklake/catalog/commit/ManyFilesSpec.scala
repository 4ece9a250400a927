package ducklake.catalog.commit

import ducklake.catalog.Lakes
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.concurrent.blocking
import scala.concurrent.duration.DurationInt

/** One commit of many files beside a writer of small ones. */
class ManyFilesSpec extends AnyFunSuite with CommitFixtures {

  test("a commit of 20,000 files lands at its second try at the latest") {
    val uri = CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.sqlite").toString)
    val lake = Lakes.open(settings(uri).copy(retry = RetryPolicy(1, 5L, 1.0)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    val isDone = new AtomicBoolean(false)
    val isUnderWay = new CountDownLatch(1)
    val quick = Future {
      val other = Lakes.open(settings(uri).copy(busyTimeoutMillis = 60000))
      Iterator
        .from(1)
        .takeWhile(_ => !isDone.get)
        .map { i =>
          other.commit(pending(base, append(table, file(s"quick$i", 1, 5)))).orThrow: Unit
          isUnderWay.countDown()
          blocking(Thread.sleep(100))
        }
        .size
    }

    assert(isUnderWay.await(60, TimeUnit.SECONDS))
    val many = (1 to 20000).map(i => file(s"f$i", i.toLong, i + 5L))
    val outcome = lake.commit(pending(base, append(table, many: _*)))
    isDone.set(true)

    outcome.orThrow
    val others = Await.result(quick, 120.seconds)
    val now = lake.prepareToWrite()
    assert(others > 0)
    assert(now.files(table, FileRequest.everyFile).files.size == 20000 + others)
  }
}
