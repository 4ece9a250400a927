package ducklake.catalog

import ducklake.catalog.listing.AddedPart
import ducklake.catalog.listing.AddedRows
import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.FilesBefore
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.RowSlice
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class AddedRowsSpec extends AnyFunSuite {

  private def tableAt(lake: TestLake): (LakeSnapshot, LakeTable) = {
    val at = lake.open.at(SnapshotId(9))
    (at, at.table("main", "t").getOrElse(fail("no table")))
  }

  private def next(lake: TestLake, from: RowPlace, count: Int): AddedRows = {
    val (at, table) = tableAt(lake)
    at.added(table, from, count)
  }

  private def listed(lake: TestLake, slice: RowSlice): FileListing = {
    val (at, table) = tableAt(lake)
    at.files(table, FileRequest.everyFile.copy(slice = Some(slice)))
  }

  private def before(snapshot: Long): RowPlace = RowPlace.before(SnapshotId(snapshot))

  private def after(snapshot: Long, file: Long, count: Long): RowPlace =
    RowPlace(SnapshotId(snapshot), Some(FilesBefore(DataFileId(file), count)))

  /** Snapshots and files; None: inlined rows. */
  private def parts(rows: AddedRows): Vector[(Long, Option[Long])] = rows.parts.map {
    case AddedPart.InFile(added, file) => (added.value, Some(file.id.value))
    case AddedPart.Inlined(added, _) => (added.value, None)
  }

  /** File 0 of snapshot 2, file 5 with rows of snapshots 2 to 4, files 1 and 2 of snapshot 3, files
    * 3 and 4 of snapshot 6; file 9 is of another snapshot than 9, and ended.
    */
  private def lakeWithFiles(version: String = "1.0"): TestLake = {
    val lake = TestLake.create(version)
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "id", "int64"))
    (2L to 9L).foreach(id => lake.snapshot(id, 1, 10, "inserted_into_table:1"))
    lake.dataFile(0, 1, 2)
    val merged =
      if (version == "1.0") "partial_max" -> "4" else "partial_file_info" -> "'2:10|3:40|4:100'"
    lake.dataFile(5, 1, 2, merged)
    Vector(1L -> 3L, 2L -> 3L, 3L -> 6L, 4L -> 6L).foreach { case (id, begin) =>
      lake.dataFile(id, 1, begin)
    }
    lake.dataFile(9, 1, 5, "end_snapshot" -> "7")
    lake
  }

  private def inline(lake: TestLake): Unit = lake.run(
    "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)",
    "CREATE TABLE ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, " +
      "end_snapshot BIGINT, id BIGINT)",
    "INSERT INTO ducklake_inlined_data_1_1 VALUES (900, 3, NULL, 1), (901, 3, NULL, 2), " +
      "(902, 3, 8, 3), (903, 8, NULL, 4)",
  )

  for (version <- Vector("1.0", "0.2"))
    test(s"rows come by the snapshot that added them, then by file, in catalogs of $version") {
      val lake = lakeWithFiles(version)
      val all = Vector(2L -> 0L, 2L -> 5L, 3L -> 1L, 3L -> 2L, 6L -> 3L, 6L -> 4L)
        .map { case (added, file) => (added, Option(file)) }
      assert(parts(next(lake, RowPlace.first, 100)) == all)
      for (count <- 1 to 6) {
        val found = next(lake, RowPlace.first, count)
        assert(parts(found) == all.take(count) && found.hasMore == count < 6)
      }
      assert(
        parts(next(lake, before(3), 100)) == Vector(
          (3, Some(1)),
          (3, Some(2)),
          (3, Some(5)),
          (6, Some(3)),
          (6, Some(4)),
        )
      )
      assert(parts(next(lake, after(3, 1, 1), 2)) == Vector((3, Some(2)), (3, Some(5))))
      assert(parts(next(lake, after(3, 5, 3), 1)) == Vector((4, Some(5))))
      assert(parts(next(lake, after(4, 5, 1), 9)) == Vector((6, Some(3)), (6, Some(4))))
      assert(parts(next(lake, after(6, 4, 2), 9)).isEmpty)
    }

  test("inlined rows come after the files of their snapshot, without those that were deleted") {
    val lake = lakeWithFiles()
    inline(lake)
    val found = next(lake, before(3), 100)
    assert(
      parts(found) == Vector(
        (3, Some(1)),
        (3, Some(2)),
        (3, Some(5)),
        (3, None),
        (6, Some(3)),
        (6, Some(4)),
        (8, None),
      )
    )
    assert(found.parts.collect { case AddedPart.Inlined(_, rows) => rows } == Vector(2, 1))
    assert(parts(next(lake, before(3), 4)).last == ((3, None)))
    assert(parts(next(lake, before(7), 1)) == Vector((8, None)))
  }

  for (version <- Vector("1.0", "0.2"))
    test(s"a place is kept until files before it are gone, in catalogs of $version") {
      val lake = lakeWithFiles(version)
      assert(next(lake, after(3, 2, 2), 1).keepsPlace)
      assert(next(lake, after(3, 5, 3), 1).keepsPlace)
      assert(!next(lake, after(3, 5, 4), 1).keepsPlace)
      assert(listed(lake, RowSlice(after(3, 2, 2), Some(after(3, 5, 3)))).keepsPlaces)
      lake.run("DELETE FROM ducklake_data_file WHERE data_file_id = 1")
      assert(!next(lake, after(3, 5, 3), 1).keepsPlace)
      assert(!listed(lake, RowSlice(RowPlace.first, Some(after(3, 5, 3)))).keepsPlaces)
      assert(!listed(lake, RowSlice(after(3, 2, 2), None)).keepsPlaces)
    }

  for (version <- Vector("1.0", "0.2"))
    test(s"the slices between any places have each row once, in catalogs of $version") {
      val lake = lakeWithFiles(version)
      val places = RowPlace.first +: Vector(
        after(2, 0, 1),
        before(3),
        after(3, 1, 1),
        after(3, 5, 3),
        before(4),
        after(4, 5, 1),
        before(5),
        after(6, 3, 1),
        after(6, 4, 2),
      )
      val slices = places.zip(places.tail.map(Option(_)) :+ None).map { case (from, to) =>
        RowSlice(from, to)
      }
      val whole = listed(lake, RowSlice(RowPlace.first, None)).files
      val expected = whole.flatMap { file =>
        (file.begin.value to file.last.value).map(file.id.value -> _)
      }
      for (some <- slices.indices.map(slices.take(_)) :+ slices) {
        val found = some.flatMap { slice =>
          listed(lake, slice).files.flatMap { file =>
            val added = slice.snapshotsOf(file)
            (added.first.value to added.last.value).map(file.id.value -> _)
          }
        }
        assert(found.distinct == found)
        if (some == slices) assert(found.toSet == expected.toSet)
      }
      assert(
        listed(lake, RowSlice(after(3, 1, 1), Some(after(3, 2, 2)))).files.map(_.id.value) ==
          Vector(2)
      )
    }

  test("a slice has the inlined rows of its snapshots") {
    val lake = lakeWithFiles()
    inline(lake)
    val (at, table) = tableAt(lake)
    def rows(from: RowPlace, to: Option[RowPlace]): Vector[Long] = {
      val kept = new CollectedRows
      val asked = InlinedRequest(Vector.empty, None, kept)
      val request = FileRequest(Vector.empty, Set.empty, Some(asked))
      at.files(table, request.copy(slice = Some(RowSlice(from, to)))): Unit
      kept.rows.map(_.rowId)
    }
    assert(rows(RowPlace.first, None) == Vector(900, 901, 903))
    assert(rows(RowPlace.first, Some(after(3, 5, 3))).isEmpty)
    assert(rows(after(3, 5, 3), Some(before(4))) == Vector(900, 901))
    assert(rows(before(4), Some(before(9))) == Vector(903))
  }
}
