package ducklake.catalog

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.ChangeListing
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.InlinedChangesRequest
import ducklake.catalog.listing.InlinedRowChanges
import ducklake.catalog.listing.InlinedSnapshots
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowOrigin
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.testkit.ChangeSamples
import ducklake.catalog.testkit.ChangeSamples.deleteFile
import ducklake.catalog.testkit.CollectedChanges
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class ChangesSpec extends AnyFunSuite {

  private def tableAt(lake: TestLake, snapshot: Long): (LakeSnapshot, LakeTable) = {
    val at = lake.open.at(SnapshotId(snapshot))
    (at, at.table("main", "t").getOrElse(fail("no table")))
  }

  /** The changes from one snapshot to another, with all columns of inlined rows. */
  private def changes(lake: TestLake, from: Long, to: Long): ChangeListing = {
    val (at, table) = tableAt(lake, to)
    at.changes(table, requested(from, table.columns, new CollectedChanges))
  }

  private def requested(
      from: Long,
      columns: Vector[Column],
      rows: CollectedChanges,
  ): ChangeRequest =
    ChangeRequest(SnapshotId(from), Some(InlinedChangesRequest(columns, rows)))

  /** The inlined rows that were changed from one snapshot to another. */
  private def rowsOf(lake: TestLake, from: Long, to: Long): Vector[InlinedRowChanges] = {
    val (at, table) = tableAt(lake, to)
    val rows = new CollectedChanges
    at.changes(table, requested(from, table.columns, rows)): Unit
    rows.rows
  }

  private def range(from: Long, to: Long): SnapshotRange =
    SnapshotRange(SnapshotId(from), SnapshotId(to))

  private def ids(changes: ChangeListing): Vector[Long] = changes.files.map(_.file.id.value)

  private def only(changes: ChangeListing): DataFileChanges = {
    assert(changes.files.size == 1)
    changes.files.head
  }

  /** Id of each delete file, with the snapshots of its deletes. */
  private def deleteFiles(changed: DataFileChanges): Vector[(Long, SnapshotRange)] =
    changed.deleteFiles.map(deletes => deletes.file.id.value -> deletes.snapshots)

  private def rows(changed: Vector[InlinedRowChanges]): Vector[(Long, Long, Option[Long])] =
    changed.map(row => (row.rowId, row.begin.value, row.ended.map(_.value)))

  private def errorOf(body: => Any): LakeError =
    intercept[LakeException](body: Unit).error

  test("the files that a range inserted are listed, and no other") {
    val lake = ChangeSamples.deletes()

    assert(ids(changes(lake, 2, 4)) == Vector(0, 1, 2))
    val changed = changes(lake, 3, 3)
    assert(only(changed).origin == RowOrigin.OneSnapshot(SnapshotId(3)))
    assert(only(changed).file.path == "/data/main/t/f1.parquet")
    assert(only(changed).file.rowIdStart.contains(100L))
    assert(only(changed).ended.isEmpty && only(changed).deleteFiles.isEmpty)
    assert(changed.times == Vector(SnapshotId(3) -> Instant.parse("2026-01-01T00:00:03Z")))
  }

  test("a file whose delete file was written in the range is listed, whatever its begin") {
    val lake = ChangeSamples.deletes()

    val changed = only(changes(lake, 6, 6))
    assert(changed.file.id.value == 0)
    assert(deleteFiles(changed) == Vector(6L -> range(5, 6)))
    assert(changed.insertedIn(range(6, 6)).isEmpty)
    assert(changed.deletedIn(range(6, 6)) == Vector(range(6, 6)))
  }

  test("a file that the range ended is listed with that snapshot") {
    val lake = ChangeSamples.deletes()

    val changed = only(changes(lake, 8, 8))
    assert(changed.file.id.value == 1 && changed.ended.contains(SnapshotId(8)))
    assert(changed.deletedIn(range(8, 8)) == Vector(range(8, 8)))
    assert(only(changes(lake, 3, 3)).ended.isEmpty)
  }

  test("after a range nothing more is listed for it") {
    val lake = ChangeSamples.deletes()
    lake.snapshot(9, 1, 8, "inserted_into_table:1")
    lake.dataFile(7, 1, 9)
    lake.snapshot(10, 1, 8, "")

    assert(ids(changes(lake, 9, 9)) == Vector(7))
    assert(changes(lake, 10, 10).files.isEmpty)
    assert(ids(changes(lake, 8, 10)) == Vector(1, 7))
  }

  test("a delete file that was written before the range holds no delete of it") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.dataFile(0, 1, 2)
    lake.snapshot(3, 1, 2, "deleted_from_table:1")
    deleteFile(lake, id = 1, dataFile = 0, begin = 3)
    lake.snapshot(4, 1, 3, "inserted_into_table:1")
    lake.dataFile(2, 1, 4)

    assert(ids(changes(lake, 4, 4)) == Vector(2))
    assert(deleteFiles(changes(lake, 3, 4).files.head) == Vector(1L -> range(3, 3)))
  }

  test(
    "a delete file without a largest snapshot may hold deletes up to the snapshot that wrote it"
  ) {
    val lake = ChangeSamples.table()
    (2L to 6L).foreach(id => lake.snapshot(id, 1, 0, "inlined_insert:1,inlined_delete:1"))
    lake.snapshot(7, 1, 2, "inline_flush:1")
    lake.dataFile(0, 1, 2, "partial_max" -> "4")
    deleteFile(lake, id = 1, dataFile = 0, begin = 3)
    lake.snapshot(8, 1, 2, "")

    assert(deleteFiles(only(changes(lake, 6, 7))) == Vector(1L -> range(3, 7)))
    assert(deleteFiles(only(changes(lake, 6, 6))) == Vector(1L -> range(3, 6)))
    assert(changes(lake, 8, 8).files.isEmpty)
  }

  test("a delete file that replaces another is listed with it") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.dataFile(0, 1, 2)
    lake.snapshot(3, 1, 2, "deleted_from_table:1")
    lake.snapshot(4, 1, 3, "deleted_from_table:1")
    lake.snapshot(5, 1, 4, "deleted_from_table:1")
    deleteFile(lake, id = 1, dataFile = 0, begin = 3, end = "4")
    deleteFile(lake, id = 2, dataFile = 0, begin = 4, end = "5")
    deleteFile(lake, id = 3, dataFile = 0, begin = 5)

    assert(deleteFiles(only(changes(lake, 5, 5))) == Vector(2L -> range(4, 4), 3L -> range(5, 5)))
    assert(deleteFiles(only(changes(lake, 4, 4))) == Vector(1L -> range(3, 3), 2L -> range(4, 4)))
  }

  test("a file with rows of several snapshots is listed for each of them") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.snapshot(3, 1, 2, "inserted_into_table:1")
    lake.snapshot(4, 1, 3, "inserted_into_table:1")
    lake.snapshot(5, 1, 4, "merge_adjacent:1")
    lake.dataFile(3, 1, 2, "partial_max" -> "4")

    val changed = only(changes(lake, 3, 3))
    assert(changed.origin == RowOrigin.Embedded(range(2, 4)))
    assert(changed.insertedIn(range(3, 3)).contains(range(3, 3)))
    assert(only(changes(lake, 3, 5)).insertedIn(range(3, 5)).contains(range(3, 4)))
    assert(changes(lake, 5, 5).files.isEmpty)
  }

  test("catalogs up to 0.3 give the snapshots of rows in two ways") {
    val lake = ChangeSamples.table("0.2")
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.snapshot(3, 1, 2, "inserted_into_table:1")
    lake.dataFile(0, 1, 2, "partial_file_info" -> "'2:10|3:40'")
    lake.dataFile(1, 1, 2, "partial_file_info" -> "'partial_max:3'")
    lake.snapshot(4, 1, 2, "")

    val origins = changes(lake, 3, 3).files.map(_.origin)
    val runs = Vector(SnapshotId(2) -> 10L, SnapshotId(3) -> 40L)
    assert(origins == Vector(RowOrigin.Runs(runs), RowOrigin.Embedded(range(2, 3))))
    assert(origins.map(_.snapshots) == Vector(range(2, 3), range(2, 3)))
    assert(changes(lake, 4, 4).files.isEmpty)
  }

  test("a file that was begun and ended by one snapshot was never visible") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.dataFile(0, 1, 2, "end_snapshot" -> "2")

    assert(changes(lake, 1, 2).files.isEmpty)
  }

  test("a file is listed with its inlined deletes up to the end of the range") {
    val lake = ChangeSamples.inlined()

    val changed = only(changes(lake, 7, 7))
    assert(changed.inlinedDeletes == Vector(0L -> SnapshotId(7), 1L -> SnapshotId(7)))
    assert(changed.deletedIn(range(7, 7)) == Vector(range(7, 7)))
    assert(only(changes(lake, 8, 8)).inlinedDeletes.map(_._1) == Vector(0, 1, 2))
    assert(changes(lake, 9, 11).files.isEmpty)
  }

  test("inlined rows that were inserted or deleted in the range are returned") {
    val lake = ChangeSamples.inlined()

    assert(rows(rowsOf(lake, 3, 3)) == Vector((0, 2, Some(3)), (0, 3, None)))
    assert(rows(rowsOf(lake, 9, 9)).isEmpty)
    assert(rows(rowsOf(lake, 10, 11)) == Vector((0, 4, Some(11)), (23, 10, None)))
  }

  test("inlined rows have the columns of the table at the end of the range") {
    val lake = ChangeSamples.inlined()

    val before = rowsOf(lake, 5, 5)
    assert(before.map(_.values) == Vector(Vector(Literal.Integral(2), Literal.Text("b"))))
    val after = rowsOf(lake, 5, 10).map(row => row.rowId -> row.values.last)
    assert(
      after == Vector(
        1L -> Literal.Integral(7),
        2L -> Literal.Integral(7),
        2L -> Literal.Integral(7),
        5L -> Literal.Integral(7),
        23L -> Literal.Integral(4),
      )
    )
  }

  test("inlined rows are read only when they are requested") {
    val (at, table) = tableAt(ChangeSamples.inlined(), 5)

    val none = at.changes(table, ChangeRequest(SnapshotId(2), None))
    assert(none.inlined == InlinedSnapshots.none)
    val counted = new CollectedChanges
    val asked = at.changes(table, requested(5, Vector.empty, counted))
    assert(counted.rows.map(_.values) == Vector(Vector.empty))
    assert(asked.inlined == InlinedSnapshots(Set.empty, Set(SnapshotId(5))))
  }

  test("a range that ends before it begins has no changes") {
    val changed = changes(ChangeSamples.inlined(), 6, 5)

    assert(changed == ChangeListing.none(range(6, 5)))
  }

  test("a snapshot inside the range that has expired is an error with the next good start") {
    val lake = ChangeSamples.deletes()
    lake.run("DELETE FROM ducklake_snapshot WHERE snapshot_id IN (2, 3)")

    assert(errorOf(changes(lake, 1, 8)) == LakeError.ChangesExpired("main.t", 1, 8, 3, 4))
    assert(errorOf(changes(lake, 3, 8)) == LakeError.ChangesExpired("main.t", 3, 8, 3, 4))
    assert(ids(changes(lake, 4, 4)) == Vector(2))
  }

  test("deletes of the first snapshot left are not known, because it may have ended whole files") {
    val lake = ChangeSamples.deletes()
    lake.run("DELETE FROM ducklake_snapshot WHERE snapshot_id < 6")

    assert(errorOf(changes(lake, 6, 8)) == LakeError.ChangesExpired("main.t", 6, 8, 5, 7))
    assert(ids(changes(lake, 7, 8)) == Vector(0, 1, 5))
  }

  test("rows of a table that the first snapshot left dropped are not known") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.snapshot(3, 1, 1, "dropped_table:1")
    lake.snapshot(4, 2, 1, "created_table:\"main\".\"t\"")
    lake.run("DELETE FROM ducklake_snapshot WHERE snapshot_id < 3")

    assert(errorOf(changes(lake, 3, 4)) == LakeError.ChangesExpired("main.t", 3, 4, 2, 4))
    assert(changes(lake, 4, 4).files.isEmpty)
  }

  test("a range may end where the table is dropped, or before it is created") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.dataFile(0, 1, 2, "end_snapshot" -> "3")
    lake.snapshot(3, 1, 1, "dropped_table:1")
    lake.run("UPDATE ducklake_table SET end_snapshot = 3")
    val (_, table) = tableAt(lake, 2)

    def listed(from: Long, to: Long): ChangeListing =
      lake.open
        .at(SnapshotId(to))
        .changes(table, requested(from, table.columns, new CollectedChanges))

    assert(only(listed(3, 3)).ended.contains(SnapshotId(3)))
    assert(ids(listed(1, 3)) == Vector(0))
    assert(listed(0, 0).files.isEmpty)
  }

  test("a snapshot after an expired snapshot that deleted from another table is complete") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1,deleted_from_table:7,inlined_delete:1")
    lake.dataFile(0, 1, 2)
    lake.run("DELETE FROM ducklake_snapshot WHERE snapshot_id < 2")

    assert(ids(changes(lake, 2, 2)) == Vector(0))
  }
}
