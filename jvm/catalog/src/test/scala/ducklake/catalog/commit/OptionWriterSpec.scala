package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.FaultyPolicy
import ducklake.catalog.jdbc.FaultyPolicy.Fault
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.path.DataPaths
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.SqliteDialect
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.concurrent.Executors

import scala.concurrent.Await
import scala.concurrent.ExecutionContext
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt

/** Options that are set beside others, and over connections that are lost. */
class OptionWriterSpec extends AnyFunSuite with CommitFixtures {

  private def change(value: String) =
    option("target_file_size", value) ++ option("auto_compact", value)

  private def values(lake: Lake): Vector[String] =
    lake.options().filter(_.key == "target_file_size").map(_.value)

  private def newFile(): String =
    Files.createTempDirectory("lake").resolve("lake.sqlite").toString

  Vector(Fault.BeforeCommit, Fault.AfterCommit).foreach { fault =>
    test(s"an option is set again when its COMMIT is lost: $fault") {
      val file = newFile()
      val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
      lake.prepareToWrite()
      val database = FaultyPolicy.database(FaultyPolicy.sqlite(file), SqliteDialect, fault)
      val reader = new SnapshotReader(database, new DataPaths(None, overrides = false))

      new OptionWriter(database, reader, RetryPolicy(3, 1L, 1.0))
        .set(change("5"))

      assert(values(lake) == Vector("5"))
    }
  }

  test("sessions that never wait for each other set one option at once, and it has one row") {
    val impatient = settings(CatalogUri.Sqlite(newFile()))
      .copy(busyTimeoutMillis = 0, retry = RetryPolicy(5000, 1L, 1.0))
    val first = Lakes.open(impatient)
    first.prepareToWrite()
    val pool = Executors.newFixedThreadPool(4)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)

    val sessions = (1 to 4).map { session =>
      Future {
        val lake = Lakes.open(impatient.copy(jdbcProperties = Map("cache" -> s"$session")))
        (1 to 25).foreach(i => lake.setOptions(change(s"$i")))
      }
    }
    Await.result(Future.sequence(sessions), 120.seconds)
    pool.shutdown()

    assert(values(first).size == 1)
  }
}
