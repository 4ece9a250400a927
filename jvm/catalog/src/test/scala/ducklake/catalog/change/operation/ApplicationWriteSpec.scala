package ducklake.catalog.change.operation

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** A write that an application has numbered is committed once. */
class ApplicationWriteSpec extends AnyFunSuite with CommitFixtures {

  private def newLake(): Lake = {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
    commit(lake)(base => Vector(create(base, "t"), create(base, "u"))).orThrow
    lake
  }

  private def commit(lake: Lake)(operations: LakeSnapshot => Vector[Operation]): CommitOutcome = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operations(base): _*))
  }

  private def write(
      lake: Lake,
      version: Long,
      table: String = "t",
      application: String = "job",
  ): CommitOutcome = commit(lake) { base =>
    val name = s"$application$version.parquet"
    val rows = Vector(append(tableOf(base, table), file(name, 1, 9)))
    ApplicationWrite(application, version).recordedWith(rows)
  }

  private def createdWith(creation: Operation, name: String): Vector[Operation] = creation match {
    case made: Operation.CreateTable =>
      val rows =
        Operation.AppendFiles(TableTarget.Created(made.uuid), Vector(file(name, 1, 9)))
      Vector(made, rows)
    case other => fail(other.toString)
  }

  private def filesOf(lake: Lake, table: String = "t"): Vector[String] = {
    val now = lake.prepareToWrite()
    now
      .files(tableOf(now, table), FileRequest.everyFile)
      .files
      .map(_.path.split('/').last.stripSuffix(".parquet"))
      .toVector
  }

  private def isRepeated(outcome: CommitOutcome): Boolean = outcome match {
    case CommitOutcome.Repeated(_, _) => true
    case _ => false
  }

  test("a write that is not newer than the last one is not made") {
    val lake = newLake()
    write(lake, 3).orThrow

    assert(isRepeated(write(lake, 3)))
    assert(isRepeated(write(lake, 2)))
    write(lake, 7).orThrow

    assert(filesOf(lake) == Vector("job3", "job7"))
    assert(lake.snapshots().size == 4)
  }

  test("each application and each table has numbers of its own") {
    val lake = newLake()
    write(lake, 3).orThrow
    write(lake, 3, table = "u").orThrow
    write(lake, 1, application = "other").orThrow

    assert(isRepeated(write(lake, 3, table = "u")))
    assert(filesOf(lake) == Vector("job3", "other1"))
    assert(filesOf(lake, "u") == Vector("job3"))
  }

  test("the number of a table's first rows stands with the table that the commit creates") {
    val lake = newLake()
    def made(table: String, version: Long): CommitOutcome = commit(lake) { base =>
      ApplicationWrite("job", version)
        .recordedWith(createdWith(create(base, table), s"$table$version.parquet"))
    }
    made("v", 4).orThrow

    assert(isRepeated(write(lake, 4, table = "v")))
    write(lake, 5, table = "v").orThrow
    assert(filesOf(lake, "v") == Vector("v4", "job5"))
  }

  test("a commit that replaces a table looks at the numbers of the replaced table") {
    val lake = newLake()
    write(lake, 4).orThrow

    val again = commit(lake) { base =>
      val drop = Operation.DropTable(tableOf(base, "t"))
      val all = drop +: createdWith(create(base, "t"), "new.parquet")
      ApplicationWrite("job", 4).recordedWith(all)
    }

    assert(isRepeated(again))
    assert(filesOf(lake) == Vector("job4"))
  }

  test("deletes are recorded like rows, changes of a definition are not") {
    val lake = newLake()
    write(lake, 1).orThrow
    def truncated(version: Long): CommitOutcome = commit(lake) { base =>
      val truncate = Vector(Operation.Truncate(tableOf(base, "t")))
      ApplicationWrite("job", version).recordedWith(truncate)
    }
    truncated(2).orThrow
    write(lake, 3).orThrow

    assert(isRepeated(truncated(2)))
    assert(filesOf(lake) == Vector("job3"))
    val definition = Vector(Operation.DropTable(tableOf(lake.prepareToWrite(), "u")))
    assert(ApplicationWrite("job", 9).recordedWith(definition) == definition)
  }
}
