package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.FlushedDeletes
import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.change.operation.FlushedRows
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.SnapshotDeleteFile
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** What the commit of a flush leaves in the catalog, on SQLite. */
class FlushCommitSpec extends AnyFunSuite with CommitFixtures {

  private def newPlace(): Path = Files.createTempDirectory("lake").resolve("lake.db")

  private def newLake(place: Path = newPlace()): Lake = {
    val lake = Lakes.open(settings(CatalogUri.Sqlite(place.toString)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val second = lake.prepareToWrite()
    lake.commit(pending(second, append(tableOf(second, "t"), file("a.parquet", 1, 9)))).orThrow
    lake
  }

  private def deletes(name: String, first: Long, last: Long): SnapshotDeleteFile =
    SnapshotDeleteFile(
      name,
      2,
      PhysicalFile(300, 100, 1),
      SnapshotRange(SnapshotId(first), SnapshotId(last)),
    )

  private def flushed(rows: String): FlushedRows = {
    val data = file("f.parquet", 1, 9).copy(rowIds = RowIds.Embedded)
    val span = SnapshotRange(SnapshotId(1), SnapshotId(2))
    FlushedRows(
      rows,
      Vector.empty,
      0,
      Vector(FlushedFile(data, span, Some(deletes("f-delete.parquet", 2, 2)), None)),
    )
  }

  private def flush(base: LakeSnapshot, replaced: Option[Long]): Operation.FlushInlined = {
    val old = replaced.map(id => (DeleteFileId(id), LakePath("main/t/old", isRelative = true)))
    Operation.FlushInlined(
      tableOf(base, "t"),
      base.snapshot.id,
      Vector(flushed("ducklake_inlined_data_1_1")),
      Vector(
        FlushedDeletes(DataFileId(0), None, old.toVector, deletes("a-delete.parquet", 2, 2))
      ),
      None,
    )
  }

  private def deleteOf(table: LakeTable, file: NewDeleteFile): Operation =
    Operation.DeleteRows(table, Vector.empty, Vector(file), Map.empty, Vector.empty)

  private def files(at: LakeSnapshot) =
    at.files(tableOf(at, "t"), FileRequest.everyFile).files

  test("files begin with what they tell of, and each data file has one delete file") {
    val lake = newLake()
    val base = lake.prepareToWrite()

    lake.commit(pending(base, flush(base, replaced = None))).orThrow

    val now = lake.prepareToWrite()
    val changes = lake.snapshots().flatMap(_.changesMade).last
    assert(changes == "inserted_into_table:1,deleted_from_table:1,inline_flush:1")
    assert(files(now).map(_.begin.value) == Vector(1L, 2L))
    assert(files(now).map(_.rowIdStart) == Vector(None, Some(0L)))
    assert(
      files(now).flatMap(_.deleteFiles).map(_.path) ==
        Vector("/data/main/t/f-delete.parquet", "/data/main/t/a-delete.parquet")
    )
    assert(now.snapshot.nextFileId == base.snapshot.nextFileId + 3)
    assert(now.snapshot.schemaVersion == base.snapshot.schemaVersion)
  }

  test("older delete files leave the catalog for the garbage list") {
    val lake = newLake()
    val first = lake.prepareToWrite()
    val old = NewDeleteFile(DataFileId(0), Vector.empty, "old", 1, PhysicalFile(300, 100, 1))
    val table = tableOf(first, "t")
    lake
      .commit(pending(first, deleteOf(table, old)))
      .orThrow
    val base = lake.prepareToWrite()

    lake.commit(pending(base, flush(base, replaced = Some(1L)))).orThrow

    val now = lake.prepareToWrite()
    assert(files(now).flatMap(_.deleteFiles).map(_.id.value) == Vector(4L, 3L))
    assert(lake.scheduledForDeletion(None).map(_.path).toVector == Vector("/data/main/t/old"))
  }

  test("rows that others add meanwhile do not matter, deletes of the same file do") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    lake.commit(pending(base, append(table, file("b.parquet", 1, 9)))).orThrow
    lake.commit(pending(base, flush(base, replaced = None))).orThrow

    val late = NewDeleteFile(DataFileId(0), Vector.empty, "late", 1, PhysicalFile(300, 100, 1))
    val delete = deleteOf(table, late)
    val refusedDelete = lake.commit(pending(base, delete))
    val refusedFlush = lake.commit(pending(base, flush(base, replaced = None)))

    assert(condition(refusedDelete).contains("DUCKLAKE_COMMIT_CONFLICT"))
    assert(condition(refusedFlush).contains("DUCKLAKE_COMMIT_CONFLICT"))
  }

  test("rows are added beside a flush of deletes, which deletes none") {
    val lake = newLake()
    val base = lake.prepareToWrite()
    lake.commit(pending(base, flush(base, replaced = None))).orThrow

    lake.commit(pending(base, append(tableOf(base, "t"), file("b.parquet", 1, 9)))).orThrow

    assert(files(lake.prepareToWrite()).size == 3)
  }

  test("rows are added beside a transaction of DuckDB that deletes, inserts and flushes") {
    val place = newPlace()
    val lake = newLake(place)
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    val delete = deleteOf(
      table,
      NewDeleteFile(DataFileId(0), Vector.empty, "late", 1, PhysicalFile(300, 100, 1)),
    )
    lake.commit(pending(base, append(table, file("b.parquet", 1, 9)), delete)).orThrow
    new TestLake(place, "1.0").run(
      "UPDATE ducklake_snapshot_changes SET changes_made = 'inserted_into_table:1," +
        "deleted_from_table:1,inline_flush:1' WHERE snapshot_id = 3"
    )

    val late = lake.commit(pending(base, append(table, file("c.parquet", 1, 9))))

    assert(condition(late).isEmpty)
    assert(files(lake.prepareToWrite()).size == 3)
  }

  test("deletes of a data file that has expired are not flushed, without a snapshot between") {
    val lake = newLake()
    val first = lake.prepareToWrite()
    val ended = Operation.DeleteRows(
      tableOf(first, "t"),
      Vector(DataFileId(0)),
      Vector.empty,
      Map.empty,
      Vector.empty,
    )
    lake.commit(pending(first, ended)).orThrow
    val base = lake.prepareToWrite()
    val wanted = flush(base, replaced = None)
    val ofEnded = wanted.deletes.map(_.copy(ended = Some(base.snapshot.id)))
    val past = ExpiryCriterion.Versions(Set(0L, 1L, 2L).map(SnapshotId(_)))
    lake.planExpiry(past).map(lake.expire).getOrElse(fail("no plan"))

    val refused = lake.commit(pending(base, wanted.copy(deletes = ofEnded)))

    assert(condition(refused).contains("DUCKLAKE_COMMIT_CONFLICT"))
  }

  private def condition(outcome: CommitOutcome): Option[String] = outcome match {
    case CommitOutcome.Failed(cause) => Some(cause.error.condition)
    case _ => None
  }
}
