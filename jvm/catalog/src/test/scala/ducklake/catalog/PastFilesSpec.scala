package ducklake.catalog

import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

/** The files of a past snapshot, planned again and again while the lake gets snapshots. */
class PastFilesSpec extends AnyFunSuite {

  /** A file in each of the snapshots 2 to 4, with ids 0–99, 100–199, 200–299. */
  private def lakeWithFiles(): TestLake = {
    val lake = TestLake.create("1.0")
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "id", "int64"))
    (0L to 2L).foreach { n =>
      lake.snapshot(n + 2, 1, n + 1, "inserted_into_table:1")
      lake.dataFile(n, 1, n + 2)
      lake.statistics(n, 1, 1, (n * 100).toString, (n * 100 + 99).toString)
    }
    lake
  }

  private def list(lake: Lake, snapshot: Long, value: Long): FileListing = {
    val at = lake.at(SnapshotId(snapshot))
    val equal = Predicate.Compare(ColumnId(1), Comparison.Equal, Literal.Integral(value))
    at.files(
      at.table("main", "t").getOrElse(fail("no table")),
      FileRequest(Vector(equal), Set.empty, None),
    )
  }

  private def ids(listing: FileListing): Vector[Long] = listing.files.map(_.id.value)

  /** No engine changes a size. Whoever reads the files again notices. */
  private def mark(lake: TestLake): Unit =
    lake.run("UPDATE ducklake_data_file SET file_size_bytes = 7 WHERE data_file_id = 0")

  /** Snapshots from 5 on that changed another table. */
  private def addSnapshots(lake: TestLake, last: Long): Unit = {
    val ids =
      s"WITH RECURSIVE ids(id) AS (SELECT 5 UNION ALL SELECT id + 1 FROM ids WHERE id < $last)"
    lake.run(
      s"INSERT INTO ducklake_snapshot $ids SELECT id, '2026-01-01 01:00:00+00', 1, 10, 3 FROM ids",
      "INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) " +
        s"$ids SELECT id, 'inserted_into_table:2' FROM ids",
    )
  }

  test("what was checked of a past snapshot is not read again") {
    val made = lakeWithFiles()
    val lake = made.open
    list(lake, 4, 150): Unit
    list(lake, 3, 150): Unit
    made.snapshot(5, 1, 3, "inserted_into_table:2")
    list(lake, 3, 150): Unit
    mark(made)
    made.run("DELETE FROM ducklake_snapshot_changes WHERE snapshot_id <= 5")
    made.snapshot(6, 1, 3, "inserted_into_table:2")

    assert(list(lake, 3, 150).listedBytes == 2000)
    assert(list(lake, 4, 150).listedBytes == 2007)
  }

  test("files that are replaced after a check are read again") {
    val made = lakeWithFiles()
    val lake = made.open
    list(lake, 4, 150): Unit
    list(lake, 3, 150): Unit
    made.snapshot(5, 1, 3, "inserted_into_table:2")
    assert(ids(list(lake, 3, 150)) == Vector(1))
    made.snapshot(6, 1, 4, "merge_adjacent:1")
    made.run("DELETE FROM ducklake_data_file WHERE data_file_id < 2")
    made.dataFile(3, 1, 2, "partial_max" -> "3")
    made.statistics(3, 1, 1, "0", "199")

    assert(ids(list(lake, 3, 150)) == Vector(3))
  }

  test("after many snapshots an index is read from the start") {
    val made = lakeWithFiles()
    val lake = made.open
    list(lake, 4, 150): Unit
    mark(made)

    addSnapshots(made, 10004)
    assert(list(lake, 4, 150).listedBytes == 3000)
    made.run("UPDATE ducklake_snapshot_changes SET changes_made = 'unknown' WHERE snapshot_id = 7")
    assert(list(lake, 4, 150).listedBytes == 3000)
    assert(list(lake, 10004, 150).listedBytes == 2007)
  }

  test("more snapshots than are followed are no reason to read them") {
    val made = lakeWithFiles()
    val lake = made.open
    list(lake, 4, 150): Unit
    mark(made)

    addSnapshots(made, 10005)
    assert(list(lake, 4, 150).listedBytes == 2007)
  }

  test("a check of a history that a copy has replaced counts for nothing") {
    val made = lakeWithFiles()
    val lake = made.open
    made.snapshot(5, 1, 3, "inserted_into_table:2")
    list(lake, 5, 150): Unit
    assert(ids(list(lake, 3, 150)) == Vector(1))
    made.run(
      "DELETE FROM ducklake_snapshot WHERE snapshot_id > 4",
      "DELETE FROM ducklake_snapshot_changes WHERE snapshot_id > 4",
      "INSERT INTO ducklake_snapshot VALUES (5, '2026-02-01 00:00:00+00', 1, 10, 4), " +
        "(6, '2026-02-01 00:00:01+00', 1, 10, 4)",
      "INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) VALUES " +
        "(5, 'merge_adjacent:1'), (6, '')",
      "DELETE FROM ducklake_data_file WHERE data_file_id < 2",
    )
    made.dataFile(3, 1, 2, "partial_max" -> "3")
    made.statistics(3, 1, 1, "0", "199")

    assert(ids(list(lake, 3, 150)) == Vector(3))
  }
}
