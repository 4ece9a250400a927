package ducklake.catalog.change.operation

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.commit.Committer
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.FaultyPolicy
import ducklake.catalog.jdbc.FaultyPolicy.Fault
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.option.OptionScope
import ducklake.catalog.path.DataPaths
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.SqliteDialect
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration
import java.time.Instant

/** The rows of an epoch of a streaming query are committed once. */
class StreamEpochSpec extends AnyFunSuite with CommitFixtures {

  private def onEach(name: String)(body: Lake => Any): Unit =
    Seq[String => CatalogUri](CatalogUri.Sqlite(_), CatalogUri.DuckDb(_)).foreach { uri =>
      val file = Files.createTempDirectory("lake").resolve("lake.db").toString
      test(s"$name, in ${uri(file).getClass.getSimpleName}")(body(newLake(uri(file))): Unit)
    }

  private def newLake(uri: CatalogUri): Lake = {
    val lake = Lakes.open(settings(uri))
    commit(lake)(base => Vector(create(base, "t"))): Unit
    lake
  }

  private def commit(lake: Lake)(operations: LakeSnapshot => Vector[Operation]): CommitOutcome = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operations(base): _*))
  }

  private def write(lake: Lake, number: Long, query: String = "q"): CommitOutcome =
    commit(lake)(epoch(_, number, query))

  private def epoch(base: LakeSnapshot, number: Long, query: String = "q"): Vector[Operation] =
    Vector(
      append(tableOf(base, "t"), file(s"$query$number.parquet", 1, 9)),
      Operation.RecordWrite(TableTarget.Existing(tableOf(base, "t")), StreamEpoch(query, number)),
    )

  private def filesOf(lake: Lake): Vector[String] = {
    val now = lake.prepareToWrite()
    now
      .files(tableOf(now, "t"), FileRequest.everyFile)
      .files
      .map(_.path.stripPrefix("/data/main/t/").stripSuffix(".parquet"))
      .toVector
  }

  private def recorded(lake: Lake): Vector[(String, String)] =
    lake.options().filter(option => NumberedWrite.isKey(option.key)).map(o => (o.key, o.value))

  private def isRepeated(outcome: CommitOutcome): Boolean = outcome match {
    case CommitOutcome.Repeated(_, _) => true
    case _ => false
  }

  onEach("an epoch that comes again changes nothing, an earlier one is refused") { lake =>
    write(lake, 0).orThrow
    write(lake, 1).orThrow

    assert(isRepeated(write(lake, 1)))
    write(lake, 0) match {
      case CommitOutcome.Failed(cause) =>
        assert(cause.error.condition == "DUCKLAKE_STREAM_CANNOT_CONTINUE")
      case other => fail(other.toString)
    }

    assert(filesOf(lake) == Vector("q0", "q1"))
    assert(lake.snapshots().size == 4)
    assert(
      recorded(lake).map { case (key, value) => key -> WriteRecord.parse(value).map(_.number) } ==
        Vector("spark_stream_epoch.q" -> Some(1L))
    )
    write(lake, 2).orThrow
    assert(filesOf(lake) == Vector("q0", "q1", "q2"))
  }

  onEach("each query has its own epochs") { lake =>
    write(lake, 5, "a").orThrow
    write(lake, 0, "b").orThrow

    assert(isRepeated(write(lake, 5, "a")))
    assert(isRepeated(write(lake, 0, "b")))
    write(lake, 1, "b").orThrow
    assert(filesOf(lake) == Vector("a5", "b0", "b1"))
  }

  onEach("an epoch is no change that others could conflict with") { lake =>
    val base = lake.prepareToWrite()
    write(lake, 0, "a").orThrow

    lake.commit(pending(base, epoch(base, 0, "b"): _*)).orThrow

    assert(filesOf(lake) == Vector("a0", "b0"))
    assert(lake.snapshots().flatMap(_.changesMade).last == "inserted_into_table:1")
  }

  test("an epoch that changes nothing makes no snapshot and is not recorded") {
    val lake = newLake(CatalogUri.Sqlite(newFile()))

    val outcome = commit(lake) { base =>
      val table = tableOf(base, "t")
      Vector(
        Operation.Truncate(table),
        Operation.RecordWrite(TableTarget.Existing(table), StreamEpoch("q", 0)),
      )
    }

    assert(outcome == CommitOutcome.Unchanged(lake.prepareToWrite().snapshot))
    assert(recorded(lake).isEmpty)
  }

  test("a repeated epoch is known when its snapshot has expired") {
    val lake = newLake(CatalogUri.Sqlite(newFile()))
    write(lake, 0).orThrow
    commit(lake)(base => Vector(create(base, "u"))).orThrow
    val ids = Set(0L, 1L, 2L).map(SnapshotId(_))
    lake.expire(lake.planExpiry(ExpiryCriterion.Versions(ids)).getOrElse(fail("no plan")))

    assert(isRepeated(write(lake, 0)))
  }

  test("a table that comes back after a drop has its epochs, a new one of its name has none") {
    val lake = newLake(CatalogUri.Sqlite(newFile()))
    write(lake, 0).orThrow
    val past = lake.prepareToWrite()
    commit(lake)(base => Vector(Operation.DropTable(tableOf(base, "t")))).orThrow
    val dropped = lake.prepareToWrite()
    val table = tableOf(past, "t")
    val back = Operation.RestoreTable(None, table, past.snapshot.id)
    lake.commit(pending(dropped, back)).orThrow

    assert(isRepeated(write(lake, 0)))

    commit(lake)(base => Vector(Operation.DropTable(tableOf(base, "t")))).orThrow
    commit(lake)(base => Vector(create(base, "t"))).orThrow
    write(lake, 0).orThrow
    assert(filesOf(lake) == Vector("q0"))
  }

  test("a record goes with an expiry when its query has committed nothing for 30 days") {
    val lake = newLake(CatalogUri.Sqlite(newFile()))
    val scope = OptionScope.OfTable(tableOf(lake.prepareToWrite(), "t").id)
    val now = Instant.now()
    def days(ago: Int): Instant = now.minus(Duration.ofDays(ago.toLong))
    def record(query: String, value: String): Unit =
      lake.setOptions(option(StreamEpoch(query, 0).key, value, scope))
    def left: Set[String] =
      recorded(lake).map { case (key, _) => key.stripPrefix(StreamEpoch.KeyPrefix) }.toSet
    def expire(criterion: ExpiryCriterion): Unit =
      lake.expire(lake.planExpiry(criterion).getOrElse(fail("no plan"))): Unit
    record("timeless", "4")
    record("d29", s"4 ${days(29)}")
    record("d31", s"4 ${days(31)}")
    record("d50", s"4 ${days(50)}")
    write(lake, 7, "running").orThrow

    expire(ExpiryCriterion.Versions(Set(SnapshotId(0))))
    assert(left == Set("timeless", "d29", "d31", "d50", "running"))
    expire(ExpiryCriterion.OlderThan(days(40)))
    assert(left == Set("timeless", "d29", "d31", "running"))
    expire(ExpiryCriterion.OlderThan(now.plusSeconds(60)))

    assert(left == Set("timeless", "d29", "running"))
    assert(isRepeated(write(lake, 7, "running")))
    assert(isRepeated(write(lake, 4, "timeless")))
    write(lake, 4, "d31").orThrow
  }

  onEach("an epoch updates the record of its query in place") { lake =>
    write(lake, 0, "a").orThrow
    write(lake, 0, "b").orThrow

    write(lake, 1, "a").orThrow

    val numbers = recorded(lake).map { case (key, value) => key -> value.takeWhile(_ != ' ') }
    assert(numbers == Vector("spark_stream_epoch.a" -> "1", "spark_stream_epoch.b" -> "0"))
  }

  test("a record that is no number stops the commit") {
    val lake = newLake(CatalogUri.Sqlite(newFile()))
    val scope = OptionScope.OfTable(tableOf(lake.prepareToWrite(), "t").id)
    lake.setOptions(option(StreamEpoch("q", 0).key, "seven", scope))

    write(lake, 8) match {
      case CommitOutcome.Failed(cause) =>
        assert(cause.error.condition == "DUCKLAKE_CORRUPT_CATALOG")
      case other => fail(other.toString)
    }
  }

  Seq(Fault.AfterCommit -> true, Fault.GoneSinceCommit -> true, Fault.BeforeCommit -> false)
    .foreach { case (fault, isThere) =>
      test(s"after a COMMIT that met $fault a repeated epoch is there once") {
        val file = newFile()
        val lake = newLake(CatalogUri.Sqlite(file))
        val base = lake.prepareToWrite()
        val faulty = FaultyPolicy.database(FaultyPolicy.sqlite(file), SqliteDialect, fault)
        val reader = new SnapshotReader(faulty, new DataPaths(None, overrides = false))
        val committer = new Committer(faulty, reader, RetryPolicy(0, 1L, 1.0), None)
        committer.commit(pending(base, epoch(base, 0): _*)): Unit
        assert(filesOf(lake).nonEmpty == isThere)

        assert(isRepeated(write(lake, 0)) == isThere)

        assert(filesOf(lake) == Vector("q0"))
      }
    }

  private def newFile(): String =
    Files.createTempDirectory("lake").resolve("lake.sqlite").toString
}
