package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.CopiedDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedChangesRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.CollectedChanges
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.UUID

/** What the commit of a rollback leaves in the catalog, on SQLite. */
class RestoreCommitSpec extends AnyFunSuite with CommitFixtures {

  /** A lake with table `t` in snapshot 1, and its file 0 in snapshot 2. */
  private def newLake(): Lake = {
    val place = Files.createTempDirectory("lake").resolve("lake.db").toString
    val lake = Lakes.open(settings(CatalogUri.Sqlite(place)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val second = lake.prepareToWrite()
    lake.commit(pending(second, append(tableOf(second, "t"), file("a.parquet", 1, 9)))).orThrow
    lake
  }

  private def alter(lake: Lake)(change: TableDefinition => TableDefinition): Unit = {
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    val altered =
      Operation.AlterTable(table, table.schema, change(TableDefinition.of(table)))
    lake.commit(pending(base, altered)).orThrow: Unit
  }

  private def truncate(lake: Lake): Unit = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, Operation.Truncate(tableOf(base, "t")))).orThrow: Unit
  }

  private def pastOf(lake: Lake): LakeTable = tableOf(lake.at(SnapshotId(2)), "t")

  private def shape(base: LakeSnapshot, lake: Lake): Operation =
    Operation.RestoreTable(base.table("main", "t"), pastOf(lake), SnapshotId(2))

  private def copy(lake: Lake): Operation = {
    val rows = file("a.parquet", 1, 9).rows.copy(freshIds = 0L)
    Operation.RestoreFiles(
      pastOf(lake),
      Vector(CopiedDataFile(DataFileId(0), "copy.parquet", rows)),
      SnapshotId(2),
    )
  }

  private def files(at: LakeSnapshot) =
    at.files(tableOf(at, "t"), FileRequest.everyFile).files

  private def lastChanges(lake: Lake): String = lake.snapshots().flatMap(_.changesMade).last

  test("a copied file has its row ids and its statistics, and the old snapshots stay") {
    val lake = newLake()
    truncate(lake)
    val base = lake.prepareToWrite()

    lake.commit(pending(base, copy(lake))).orThrow

    val now = lake.prepareToWrite()
    assert(files(now).map(_.path) == Vector("/data/main/t/copy.parquet"))
    assert(files(now).map(_.rowIdStart) == Vector(Some(0L)))
    assert(files(now).map(_.begin) == Vector(now.snapshot.id))
    assert(files(lake.at(SnapshotId(2))).map(_.path) == Vector("/data/main/t/a.parquet"))
    assert(files(lake.at(SnapshotId(3))).isEmpty)
    val asked = FileRequest(Vector.empty, Set(ColumnId(1)), None)
    val known = now.files(tableOf(now, "t"), asked).statistics
    val ofCopy = files(now).flatMap(file => known.get(file.id)).flatMap(_.values)
    assert(ofCopy == Vector(whole(1, 9, 10)))
    assert(lastChanges(lake) == "inserted_into_table:1")
  }

  test("columns come back under their ids, and the next column gets an id above all") {
    val lake = newLake()
    alter(lake)(definition => definition.copy(columns = definition.columns.take(1)))
    alter(lake)(definition =>
      definition.copy(columns = definition.columns :+ column(3, "more", LakeType.Int32))
    )
    val base = lake.prepareToWrite()

    lake.commit(pending(base, shape(base, lake))).orThrow

    val now = lake.prepareToWrite()
    assert(tableOf(now, "t") == pastOf(lake))
    assert(tableOf(base, "t") == tableOf(lake.at(SnapshotId(4)), "t"))
    assert(now.nextColumnId(tableOf(now, "t")) == ColumnId(4))
    assert(now.snapshot.schemaVersion == base.snapshot.schemaVersion + 1)
    assert(lastChanges(lake) == "altered_table:1")
  }

  test("a dropped schema comes back under a new id, and its table in it") {
    val lake = newLake()
    val first = lake.prepareToWrite()
    val path = LakePath("s/", isRelative = true)
    val tags = Map("comment" -> "ours")
    lake
      .commit(pending(first, Operation.CreateSchema(None, "s", UUID.randomUUID(), path, tags)))
      .orThrow
    val second = lake.prepareToWrite()
    val old = second.schema("s").get
    val table = tableOf(second, "t")
    val moved = TableDefinition.of(table).copy(schema = old.id)
    lake.commit(pending(second, Operation.AlterTable(table, old, moved))).orThrow
    val past = lake.prepareToWrite()
    val inside = past.table("s", "t").get
    lake
      .commit(pending(past, Operation.DropTable(inside), Operation.DropSchema(old)))
      .orThrow
    val base = lake.prepareToWrite()
    assert(base.schemas().map(_.name) == Vector("main"))

    val at = past.snapshot.id
    val restored = Vector(
      Operation.RestoreSchema(old, at),
      Operation.RestoreTable(None, inside, at),
    )
    lake.commit(pending(base, restored: _*)).orThrow

    val now = lake.prepareToWrite()
    val again = now.schema("s").get
    assert(again.id.value == base.snapshot.nextCatalogId)
    assert(again.copy(id = old.id) == old)
    assert(now.table("s", "t").map(_.id) == Some(inside.id))
    assert(now.table("s", "t").map(_.directory) == Some(inside.directory))
    assert(lake.at(at).schema("s") == Some(old))
    assert(lastChanges(lake) == "created_schema:\"s\",created_table:\"s\".\"t\"")
  }

  test("a partition spec comes back under its id") {
    val lake = newLake()
    val key = PartitionKey(0, ColumnId(1), Transform.Identity)
    alter(lake)(_.copy(partition = Vector(key)))
    val keyed = lake.prepareToWrite()
    alter(lake)(_.copy(partition = Vector.empty))
    val base = lake.prepareToWrite()

    val past = tableOf(keyed, "t")
    val restore = Operation.RestoreTable(base.table("main", "t"), past, keyed.snapshot.id)
    lake.commit(pending(base, restore)).orThrow

    val now = lake.prepareToWrite()
    assert(tableOf(now, "t").partition.map(_.id) == past.partition.map(_.id))
    assert(tableOf(now, "t").partition.map(_.keys) == past.partition.map(_.keys))
  }

  test("a dropped table comes back with its id and its files") {
    val lake = newLake()
    val before = lake.prepareToWrite()
    lake.commit(pending(before, Operation.DropTable(tableOf(before, "t")))).orThrow
    val base = lake.prepareToWrite()

    lake.commit(pending(base, shape(base, lake), copy(lake))).orThrow

    val now = lake.prepareToWrite()
    assert(tableOf(now, "t") == pastOf(lake))
    assert(files(now).map(_.path) == Vector("/data/main/t/copy.parquet"))
    assert(lake.at(SnapshotId(3)).table("main", "t").isEmpty)
    assert(lastChanges(lake) == "created_table:\"main\".\"t\",inserted_into_table:1")
  }

  test("the inlined rows of a dropped table end at the drop when it comes back") {
    val lake = newLake()
    val first = lake.prepareToWrite()
    val row = NewInlinedRow(None, Vector(Literal.Integral(5), Literal.Text("x")))
    val target = TableTarget.Existing(tableOf(first, "t"))
    lake.commit(pending(first, Operation.AppendInlined(target, Vector(row)))).orThrow
    val before = lake.prepareToWrite()
    lake.commit(pending(before, Operation.DropTable(tableOf(before, "t")))).orThrow
    val base = lake.prepareToWrite()
    lake.commit(pending(base, create(base, "u"))).orThrow
    val later = lake.prepareToWrite()

    lake.commit(pending(later, shape(later, lake))).orThrow

    def versions(snapshot: Long, in: LakeTable): Vector[Long] = {
      val read = new CollectedChanges
      val asked = InlinedChangesRequest(Vector.empty, read)
      lake
        .at(SnapshotId(snapshot))
        .changes(in, ChangeRequest(SnapshotId(snapshot), Some(asked))): Unit
      read.rows.flatMap(_.ended).map(_.value)
    }
    val now = lake.prepareToWrite()
    assert(versions(4, tableOf(now, "t")) == Vector(4L))
    assert(versions(now.snapshot.id.value, tableOf(now, "t")).isEmpty)
  }

  test("a table that is as it was needs no snapshot") {
    val lake = newLake()
    val base = lake.prepareToWrite()

    assert(lake.commit(pending(base, shape(base, lake))).orThrow.id == base.snapshot.id)
  }

  test("a rollback is refused when another commit changed the table since") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    lake.commit(pending(base, append(table, file("b.parquet", 1, 9)))).orThrow

    val outcome =
      lake.commit(pending(base, copy(lake), Operation.AssertUnchanged(table, TablePart.Files)))

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(files(lake.prepareToWrite()).size == 2)
  }

  test("a rollback of the lake is refused when another commit changed any table since") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(tableOf(base, "t"), file("b.parquet", 1, 9)))).orThrow

    val outcome = lake.commit(pending(base, create(base, "u"), Operation.AssertLakeUnchanged))

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(lake.prepareToWrite().table("main", "u").isEmpty)
    assert(lake.commit(pending(base, create(base, "u"))).orThrow.id == SnapshotId(4))
  }

  test("a rollback of the lake is refused when another commit changed properties of a schema") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    val main = base.schema("main").getOrElse(fail("no main"))
    lake.commit(pending(base, Operation.SetSchemaTags(main, Map("k" -> "v")))).orThrow
    assert(lastChanges(lake) == "")

    val outcome = lake.commit(pending(base, create(base, "u"), Operation.AssertLakeUnchanged))

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(lake.prepareToWrite().table("main", "u").isEmpty)
  }

  test("a name comes back only to a table that still has the other one") {
    val lake = newLake()
    alter(lake)(_.copy(name = "u"))
    val base = lake.prepareToWrite()
    val renamed = tableOf(base, "u")
    val again = TableDefinition.of(renamed).copy(name = "w")
    lake.commit(pending(base, Operation.AlterTable(renamed, renamed.schema, again))).orThrow

    val restored = Operation.RestoreTable(Some(renamed), pastOf(lake), SnapshotId(2))
    val outcome = lake.commit(pending(base, restored))

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
  }

  test("a file whose row is gone from the catalog does not come back as nothing") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    val rows = file("a.parquet", 1, 9).rows.copy(freshIds = 0L)
    val gone = CopiedDataFile(DataFileId(77), "copy.parquet", rows)

    val outcome =
      lake.commit(
        pending(base, Operation.RestoreFiles(pastOf(lake), Vector(gone), SnapshotId(2)))
      )

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(lake.prepareToWrite().snapshot.id == base.snapshot.id)
  }

  test("a table of a snapshot that has expired meanwhile does not come back without its rows") {
    val lake = newLake()
    val past = pastOf(lake)
    val before = lake.prepareToWrite()
    lake.commit(pending(before, Operation.DropTable(tableOf(before, "t")))).orThrow
    val base = lake.prepareToWrite()
    val restore = Operation.RestoreTable(None, past, SnapshotId(2))
    val ids = Set(1L, 2L).map(SnapshotId(_))
    lake.expire(lake.planExpiry(ExpiryCriterion.Versions(ids)).getOrElse(fail("no plan")))

    val outcome = lake.commit(pending(base, restore))

    assert(condition(outcome).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(lake.prepareToWrite().snapshot.id == base.snapshot.id)
  }

  private def condition(outcome: CommitOutcome): Option[String] = outcome match {
    case CommitOutcome.Failed(cause) => Some(cause.error.condition)
    case _ => None
  }
}
