package ducklake.catalog.commit.expiry

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.testkit.RaisedLake
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** What an expiry leaves in the catalog, on SQLite. The comparison with DuckDB is
  * tests/e2e/test_expire.py.
  */
class SnapshotExpirySpec extends AnyFunSuite with CommitFixtures {

  private def newPlace(): Path = Files.createTempDirectory("lake").resolve("lake.db")

  private def newLake(place: Path = newPlace()): Lake = {
    val lake = Lakes.open(settings(CatalogUri.Sqlite(place.toString)))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    lake
  }

  private def commit(lake: Lake)(operation: ducklake.catalog.LakeSnapshot => Operation): Unit = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operation(base))).orThrow: Unit
  }

  private def expire(lake: Lake, ids: Long*): Expired =
    lake
      .planExpiry(ExpiryCriterion.Versions(ids.map(SnapshotId(_)).toSet))
      .map(lake.expire)
      .getOrElse(fail("no plan"))

  test("files go when the last snapshot that sees them is gone, with their delete files") {
    val lake = newLake()
    commit(lake)(base => append(tableOf(base, "t"), file("a.parquet", 1, 9)))
    commit(lake) { base =>
      val gone =
        NewDeleteFile(DataFileId(0), Vector.empty, "a-delete", 1, PhysicalFile(300, 100, 1))
      Operation.DeleteRows(tableOf(base, "t"), Vector.empty, Vector(gone), Map.empty, Vector.empty)
    }
    commit(lake) { base =>
      Operation.DeleteRows(
        tableOf(base, "t"),
        Vector(DataFileId(0)),
        Vector.empty,
        Map.empty,
        Vector.empty,
      )
    }
    val kept = expire(lake, 2)
    val gone = expire(lake, 0, 1, 3)

    assert(kept.files == FileCounts.none)
    assert(gone.files == FileCounts(1, 1))
    assert(
      lake.scheduledForDeletion(None).map(_.storedPath).toVector ==
        Vector("main/t/a-delete", "main/t/a.parquet")
    )
    assert(lake.snapshots().map(_.snapshot.id.value) == Vector(4L))
  }

  test("the newest snapshot never expires, and live files stay") {
    val lake = newLake()
    commit(lake)(base => append(tableOf(base, "t"), file("a.parquet", 1, 9)))

    val done = expire(lake, 0, 1, 2, 99)

    assert(done == Expired(2, FileCounts.none, 0))
    val now = lake.prepareToWrite()
    assert(now.snapshot.id.value == 2)
    assert(now.files(tableOf(now, "t"), FileRequest.everyFile).files.size == 1)
  }

  test("a dropped table goes with all its files") {
    val lake = newLake()
    commit(lake)(base => append(tableOf(base, "t"), file("a.parquet", 1, 9), file("b", 1, 9)))
    commit(lake)(base => Operation.DropTable(tableOf(base, "t")))

    val done = expire(lake, 0, 1, 2)

    assert(done == Expired(3, FileCounts(2, 0), 1))
    var listed = 0
    lake.foreachFile(_ => listed += 1)
    assert(listed == 0)
  }

  test("an expiry that nothing asks for finishes what an interrupted one has left") {
    val lake = newLake()
    commit(lake)(base => append(tableOf(base, "t"), file("a.parquet", 1, 9)))
    commit(lake)(base => Operation.Truncate(tableOf(base, "t")))
    val plan = lake.planExpiry(ExpiryCriterion.Versions(Set(SnapshotId(2))))

    val again = plan.toVector.map(lake.expire) ++ plan.toVector.map(lake.expire)

    assert(again.map(_.files) == Vector(FileCounts(1, 0), FileCounts.none))
  }

  test("what is deleted from a data file goes when the file is gone") {
    val place = newPlace()
    val lake = newLake(place)
    commit(lake)(base => append(tableOf(base, "t"), file("a.parquet", 1, 9), file("b", 1, 9)))
    commit(lake) { base =>
      val gone =
        NewDeleteFile(DataFileId(0), Vector.empty, "a-delete", 1, PhysicalFile(300, 100, 1))
      Operation.DeleteRows(tableOf(base, "t"), Vector.empty, Vector(gone), Map.empty, Vector.empty)
    }
    commit(lake) { base =>
      val inlined = Map(DataFileId(0) -> Vector(7L), DataFileId(1) -> Vector(8L))
      Operation.DeleteRows(tableOf(base, "t"), Vector.empty, Vector.empty, inlined, Vector.empty)
    }
    RaisedLake.run(place, "DELETE FROM ducklake_data_file WHERE data_file_id = 0")

    val done = expire(lake, 99)

    assert(done.files == FileCounts(0, 1))
    assert(lake.scheduledForDeletion(None).map(_.storedPath).toVector == Vector("main/t/a-delete"))
    val left = RaisedLake.ask(place, "SELECT file_id FROM ducklake_inlined_delete_1")
    assert(left == Vector(Vector("1")))
  }
}
