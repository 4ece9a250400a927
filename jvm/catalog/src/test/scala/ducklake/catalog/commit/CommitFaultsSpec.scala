package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.commit.migration.Migration
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.FaultyPolicy
import ducklake.catalog.jdbc.FaultyPolicy.Fault
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.path.DataPaths
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.SqliteDialect
import ducklake.catalog.types.SnapshotId
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.ExecutionContext
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt

/** A commit that fails at each of its statements leaves the lake as before or as after. */
class CommitFaultsSpec extends AnyFunSuite with CommitFixtures {

  private val mostStatements = 10

  (1 to mostStatements).foreach { n =>
    test(s"a connection that fails at statement $n of a commit changes nothing") {
      val (outcome, lake) = commitWith(Fault.AtStatement(n))
      outcome match {
        case CommitOutcome.Failed(_) => assert(filesOf(lake) == 0)
        case other => fail(other.toString)
      }
      assertHealthy(lake, snapshots = 2)
    }
  }

  test("the commit has fewer statements than are tested") {
    val (outcome, lake) = commitWith(Fault.AtStatement(mostStatements + 1))
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assertHealthy(lake, snapshots = 3)
  }

  test("a COMMIT that did not reach the database is done again") {
    val (outcome, lake) = commitWith(Fault.BeforeCommit)
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assert(filesOf(lake) == 1)
    assertHealthy(lake, snapshots = 3)
  }

  test("a COMMIT whose answer is lost is found and not done twice") {
    val (outcome, lake) = commitWith(Fault.AfterCommit)
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assert(filesOf(lake) == 1)
    assertHealthy(lake, snapshots = 3)
  }

  test("an interrupt while a commit waits for its next attempt ends it, changing nothing") {
    val (outcome, lake) = interrupted(commitWith(Fault.BeforeCommit, waitMillis = 600000L))
    assert(conditionOf(outcome) == "failed: DUCKLAKE_STATEMENT_INTERRUPTED")
    assertHealthy(lake, snapshots = 2)
  }

  test("an interrupt while a commit waits for the database ends it, changing nothing") {
    val (outcome, lake) = interrupted(commitWith(Fault.WhileWaiting))
    assert(conditionOf(outcome) == "failed: DUCKLAKE_STATEMENT_INTERRUPTED")
    assertHealthy(lake, snapshots = 2)
  }

  test("a COMMIT whose answer is lost is found by an interrupted thread, too") {
    val (outcome, lake) = interrupted(commitWith(Fault.AfterCommit))
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assertHealthy(lake, snapshots = 3)
  }

  test("an interrupt while the lake is asked for a lost COMMIT leaves its outcome unknown") {
    val (outcome, lake) = interrupted(commitWith(Fault.SinceCommit, waitMillis = 600000L))
    assert(conditionOf(outcome) == "unknown: DUCKLAKE_COMMIT_OUTCOME_UNKNOWN")
    assertHealthy(lake, snapshots = 3)
  }

  test("a lost COMMIT whose snapshot may have expired since has an unknown outcome") {
    def expire(lake: Lake): Unit = {
      Seq("u", "v").foreach { name =>
        val now = lake.prepareToWrite()
        lake.commit(pending(now, create(now, name))).orThrow: Unit
      }
      lake.planExpiry(ExpiryCriterion.Versions(Set(SnapshotId(2)))).foreach(lake.expire(_): Unit)
    }

    Seq(Fault.AfterCommit -> 1, Fault.BeforeCommit -> 0).foreach { case (fault, files) =>
      val (outcome, lake) = commitWith(fault, meanwhile = expire)

      assert(conditionOf(outcome) == "unknown: DUCKLAKE_COMMIT_OUTCOME_UNKNOWN")
      assert(filesOf(lake) == files)
    }
  }

  test("a lost COMMIT whose database cannot be asked any more has an unknown outcome") {
    val (outcome, lake) = commitWith(Fault.GoneSinceCommit)
    assert(conditionOf(outcome) == "unknown: DUCKLAKE_COMMIT_OUTCOME_UNKNOWN")
    assertHealthy(lake, snapshots = 3)
  }

  test("a COMMIT whose driver dies of another error is looked for and found") {
    val (outcome, lake) = commitWith(Fault.CrashAfterCommit)
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assert(filesOf(lake) == 1)
    assertHealthy(lake, snapshots = 3)
  }

  test("a commit stays done when its connection cannot be given back") {
    val (outcome, lake) = commitWith(Fault.AtRelease)
    assert(outcome.isInstanceOf[CommitOutcome.Committed])
    assert(filesOf(lake) == 1)
    assertHealthy(lake, snapshots = 3)
  }

  Vector(Fault.AtStatement(1), Fault.BeforeCommit, Fault.AfterCommit).foreach { fault =>
    test(s"a lake whose migration meets $fault once is migrated before the commit, or not at all") {
      val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
      val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
      lake.commit(pending(lake.prepareToWrite(), create(lake.prepareToWrite(), "t"))).orThrow
      val base = lake.prepareToWrite()
      val faulty = FaultyPolicy.database(FaultyPolicy.sqlite(file), SqliteDialect, fault)
      val retry = RetryPolicy(3, 1L, 1.0)
      def reader(database: Database) =
        new SnapshotReader(database, new DataPaths(None, overrides = false))
      val migration = new Migration(faulty, reader(faulty), retry, FormatVersion.V11)
      val own = settings(CatalogUri.Sqlite(file))
      val sound = Databases.open(own.uri, own.metadataSchema, 100, own.pool, own.jdbcProperties)
      val committer = new Committer(sound, reader(sound), retry, Some(migration))
      val added = append(tableOf(base, "t"), this.file("a.parquet", 1, 5))

      val outcome = committer.commit(pending(base, added))

      val isDone = fault != Fault.AtStatement(1)
      assert(outcome.isInstanceOf[CommitOutcome.Committed] == isDone)
      assert(filesOf(lake) == (if (isDone) 1 else 0))
      val now = lake.newest().getOrElse(fail("no lake"))
      assert(now.version == (if (isDone) FormatVersion.V11 else FormatVersion.V10))
    }
  }

  test("a commit that changes nothing leaves its connection for the next call") {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    val discarded = new AtomicInteger
    val database = FaultyPolicy.database(
      FaultyPolicy.sqlite(file),
      SqliteDialect,
      Fault.Never,
      onDiscard = () => discarded.incrementAndGet(): Unit,
    )
    val reader = new SnapshotReader(database, new DataPaths(None, overrides = false))
    val retry = RetryPolicy(0, 1L, 1.0)
    val migration = new Migration(database, reader, retry, FormatVersion.V11)
    val nothing = pending(base, Operation.Truncate(tableOf(base, "t")))

    val unchanged = new Committer(database, reader, retry, None).commit(nothing)
    val migrated = new Committer(database, reader, retry, Some(migration)).commit(nothing)

    assert(Seq(unchanged, migrated).forall(_.isInstanceOf[CommitOutcome.Unchanged]))
    assert(discarded.get == 0)
  }

  test("a database without room: the error says so at once") {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val first = Lakes.open(settings(CatalogUri.Sqlite(file)))
    first.commit(pending(first.prepareToWrite(), create(first.prepareToWrite(), "t"))).orThrow
    val full = Lakes.open(
      settings(CatalogUri.Sqlite(file)).copy(jdbcProperties = Map("max_page_count" -> "1"))
    )
    val base = full.prepareToWrite()
    val files = (1 to 500).map(i => this.file(s"$i.parquet", 1, 5))

    full.commit(pending(base, append(tableOf(base, "t"), files*))) match {
      case CommitOutcome.Failed(cause) =>
        assert(cause.error.condition == "DUCKLAKE_CATALOG_DISK_FAILED")
      case other => fail(other.toString)
    }
    assertHealthy(first, snapshots = 2)
  }

  test("writers that never wait for each other commit each file once") {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val impatient =
      settings(CatalogUri.Sqlite(file))
        .copy(busyTimeoutMillis = 0, retry = RetryPolicy(5000, 1L, 1.0))
    val first = Lakes.open(settings(CatalogUri.Sqlite(file)))
    val base = first.prepareToWrite()
    first.commit(pending(base, create(base, "t"))).orThrow
    val pool = Executors.newFixedThreadPool(4)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    val seen = first.prepareToWrite()
    val writers = (1 to 4).map { writer =>
      Future {
        val lake = Lakes.open(impatient.copy(jdbcProperties = Map("cache" -> s"$writer")))
        (1 to 25).foreach { i =>
          lake
            .commit(pending(seen, append(tableOf(seen, "t"), this.file(s"$writer-$i", 1, 5))))
            .orThrow
        }
      }
    }
    Await.result(Future.sequence(writers), 120.seconds)
    pool.shutdown()
    assert(filesOf(first) == 100)
    assertHealthy(first, snapshots = 102)
  }

  /** Runs `body` on an interrupted thread, whose flag it has to leave as it is. */
  private def interrupted[A](body: => A): A = {
    Thread.currentThread().interrupt()
    val result = body
    assert(Thread.interrupted())
    result
  }

  private def conditionOf(outcome: CommitOutcome): String = outcome match {
    case CommitOutcome.Failed(cause) => s"failed: ${cause.error.condition}"
    case CommitOutcome.Unknown(cause) => s"unknown: ${cause.error.condition}"
    case other => fail(other.toString)
  }

  private def commitWith(
      fault: Fault,
      waitMillis: Long = 1L,
      meanwhile: Lake => Unit = _ => (),
  ): (CommitOutcome, Lake) = {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    val database =
      FaultyPolicy.database(FaultyPolicy.sqlite(file), SqliteDialect, fault, () => meanwhile(lake))
    val reader = new SnapshotReader(database, new DataPaths(None, overrides = false))
    val committer = new Committer(database, reader, RetryPolicy(3, waitMillis, 1.0), None)
    val added = append(tableOf(base, "t"), this.file("a.parquet", 1, 5))
    (committer.commit(pending(base, added)), lake)
  }

  private def filesOf(lake: Lake): Int = {
    val now = lake.newest().getOrElse(fail("no snapshot"))
    now.files(tableOf(now, "t"), FileRequest.everyFile).files.size
  }

  private def assertHealthy(lake: Lake, snapshots: Int): Assertion = {
    val found = lake.snapshots()
    assert(found.forall(_.changesMade.nonEmpty))
    assert(found.map(_.snapshot.id.value) == (0L until snapshots.toLong).toVector)
  }
}
