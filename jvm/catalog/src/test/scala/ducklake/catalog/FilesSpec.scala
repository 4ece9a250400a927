package ducklake.catalog

import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

class FilesSpec extends AnyFunSuite {

  private val everything = FileRequest.everyFile

  private def equalTo(column: Long, value: Long): FileRequest = {
    val equal = Predicate.Compare(ColumnId(column), Comparison.Equal, Literal.Integral(value))
    FileRequest(Vector(equal), Set.empty, None)
  }

  private def tableAt(lake: TestLake, snapshot: Long): (LakeSnapshot, LakeTable) = {
    val at = lake.open.at(SnapshotId(snapshot))
    (at, at.table("main", "t").getOrElse(fail("no table")))
  }

  private def list(
      lake: TestLake,
      snapshot: Long,
      request: FileRequest = everything,
  ): FileListing = {
    val (at, table) = tableAt(lake, snapshot)
    at.files(table, request)
  }

  private def ids(listing: FileListing): Vector[Long] = listing.files.map(_.id.value)

  private def counts(lake: TestLake, snapshot: Long): TableCounts = {
    val (at, table) = tableAt(lake, snapshot)
    at.counts(table)
  }

  /** `t(id int64, s varchar)` from snapshot 1 on. */
  private def lakeWithTable(version: String): TestLake = {
    val lake = TestLake.create(version)
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "id", "int64"), (2, "s", "varchar"))
    lake
  }

  /** A file in each of the snapshots 2 to 4, with ids 0–99, 100–199, 200–299. */
  private def lakeWithFiles(version: String = "1.0"): TestLake = {
    val lake = lakeWithTable(version)
    (0L to 2L).foreach { n =>
      lake.snapshot(n + 2, 1, n + 1, "inserted_into_table:1")
      lake.dataFile(n, 1, n + 2)
      lake.statistics(n, 1, 1, (n * 100).toString, (n * 100 + 99).toString)
    }
    lake
  }

  test("files are those visible at the snapshot, with their full paths") {
    val lake = lakeWithFiles()
    lake.run(
      "UPDATE ducklake_data_file SET end_snapshot = 4 WHERE data_file_id = 1",
      "UPDATE ducklake_data_file SET path = '/abs/x.parquet', path_is_relative = 0 " +
        "WHERE data_file_id = 2",
    )

    assert(ids(list(lake, 1)).isEmpty)
    assert(ids(list(lake, 3)) == Vector(0, 1))
    val newest = list(lake, 4)
    assert(newest.files.map(_.path) == Vector("/data/main/t/f0.parquet", "/abs/x.parquet"))
    assert(newest.listedFiles == 2 && newest.listedBytes == 2000)
    val first = newest.files.head
    assert(first.recordCount == 100 && first.rowIdStart.contains(0L))
    assert(first.begin == SnapshotId(2) && first.visibility == RowVisibility.All)
  }

  test("statistics are those of the files that are named") {
    val (at, table) = tableAt(lakeWithFiles(), 4)
    val found = at.fileStatistics(table, Set(ColumnId(1)), Vector(DataFileId(1), DataFileId(7)))

    assert(found.keySet == Set(DataFileId(1)))
    assert(found(DataFileId(1))(ColumnId(1)).max.contains(Literal.Integral(199)))
    assert(at.fileStatistics(table, Set(ColumnId(1)), Vector.empty).isEmpty)
  }

  test("a table without a path lies in its schema's folder") {
    val lake = lakeWithFiles()
    lake.run("UPDATE ducklake_table SET path = NULL, path_is_relative = NULL")

    assert(list(lake, 2).files.map(_.path) == Vector("/data/main/f0.parquet"))
  }

  test("a partial file shows its rows up to the snapshot") {
    val lake = lakeWithFiles()
    lake.run("UPDATE ducklake_data_file SET partial_max = 3 WHERE data_file_id = 0")

    assert(list(lake, 2).files.head.visibility == RowVisibility.upTo(SnapshotId(2)))
    assert(list(lake, 3).files.head.visibility == RowVisibility.All)
    assert(list(lake, 2).files.map(_.last) == Vector(SnapshotId(3)))
    val file = list(lake, 3).files.head
    val second = SnapshotRange(SnapshotId(2), SnapshotId(2))
    assert(file.addedIn(second).map(_.visibility).contains(RowVisibility.Embedded(second)))
    assert(file.addedIn(file.snapshots).contains(file))
    assert(file.addedIn(SnapshotRange(SnapshotId(4), SnapshotId(9))).isEmpty)
  }

  test("catalogs up to 0.3 say it in two ways") {
    val lake = lakeWithFiles("0.2")
    lake.run(
      "UPDATE ducklake_data_file SET partial_file_info = '2:10|3:40|4:100' WHERE data_file_id = 0",
      "UPDATE ducklake_data_file SET partial_file_info = 'partial_max:4' WHERE data_file_id = 1",
    )

    val runs = Vector(SnapshotId(2) -> 10L, SnapshotId(3) -> 40L, SnapshotId(4) -> 100L)
    assert(
      list(lake, 3).files.map(_.visibility) ==
        Vector(RowVisibility.Runs(0, 40, runs), RowVisibility.upTo(SnapshotId(3)))
    )
    assert(list(lake, 3).files.map(_.last) == Vector(SnapshotId(4), SnapshotId(4)))
    def added(first: Long, last: Long): Vector[Option[RowVisibility]] = {
      val range = SnapshotRange(SnapshotId(first), SnapshotId(last))
      list(lake, 3).files.map(_.addedIn(range).map(_.visibility))
    }
    assert(
      added(3, 9) ==
        Vector(Some(RowVisibility.Runs(10, 40, runs)), Some(RowVisibility.upTo(SnapshotId(3))))
    )
    assert(added(4, 9) == Vector(None, None))
    assert(added(0, 2).head.contains(RowVisibility.Runs(0, 10, runs)))
  }

  test("a data file has its delete file and its inlined deletes") {
    val lake = lakeWithFiles()
    lake.snapshot(5, 1, 4, "deleted_from_table:1")
    lake.run(
      "INSERT INTO ducklake_delete_file VALUES (3, 1, 5, NULL, 0, 'd.parquet', 1, 'parquet', 7, " +
        "70, 9, NULL, NULL)",
      "CREATE TABLE ducklake_inlined_delete_1(file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)",
      "INSERT INTO ducklake_inlined_delete_1 VALUES (1, 30, 5), (1, 4, 4), (2, 1, 9)",
    )

    val Seq(first, second, third) = list(lake, 5).files: @unchecked
    val Seq(deletes) = first.deleteFiles: @unchecked
    assert(deletes.path == "/data/main/t/d.parquet" && deletes.deleteCount == 7)
    assert(deletes.format == DeleteFormat.ParquetPositions)
    assert(second.inlinedDeletes == Vector(4L, 30L))
    assert(!third.hasDeletes)
    assert(list(lake, 4).files.forall(_.deleteFiles.isEmpty))
    assert(counts(lake, 5) == TableCounts(300, 9, 0, 3000, isExact = true))
  }

  test("two delete files of one data file count both") {
    val lake = lakeWithFiles()
    lake.run(
      "INSERT INTO ducklake_delete_file VALUES " +
        "(3, 1, 3, 9, 0, 'd.parquet', 1, 'parquet', 7, 70, 9, NULL, NULL), " +
        "(4, 1, 2, NULL, 0, 'e.puffin', 1, 'puffin', 9, 70, 9, NULL, 8)"
    )

    val deletes = list(lake, 4).files.head.deleteFiles
    assert(
      deletes.map(file => (file.id.value, file.format)) ==
        Vector((3L, DeleteFormat.ParquetPositions), (4L, DeleteFormat.PuffinVector))
    )
    assert(!counts(lake, 4).isExact)
  }

  test("counts are not exact where a file holds rows or deletes of later snapshots") {
    val partial = lakeWithFiles()
    partial.run("UPDATE ducklake_data_file SET partial_max = 4 WHERE data_file_id = 0")
    val deletes = lakeWithFiles()
    deletes.run(
      "INSERT INTO ducklake_delete_file VALUES (3, 1, 2, NULL, 0, 'd', 1, 'parquet', 7, 70, 9, " +
        "NULL, NULL)"
    )

    assert(!counts(partial, 3).isExact)
    assert(counts(partial, 4) == TableCounts(300, 0, 0, 3000, isExact = true))
    assert(!counts(deletes, 3).isExact)
    assert(counts(deletes, 4) == TableCounts(300, 7, 0, 3000, isExact = true))
  }

  test("a registered file has its name mapping, and constants from its path") {
    val lake = lakeWithFiles()
    lake.run(
      "UPDATE ducklake_data_file SET mapping_id = 9 WHERE data_file_id < 2",
      "INSERT INTO ducklake_name_mapping VALUES (9, 0, 'ID', 1, NULL, 0), (9, 1, 's', 2, NULL, 1), " +
        "(9, 2, 'child', 7, 0, 0)",
    )
    lake.statistics(0, 1, 2, "x=y", "x=y")

    val listing = list(lake, 4)
    assert(listing.files.map(_.mapping) == Vector(Some(MappingId(9)), Some(MappingId(9)), None))
    assert(listing.files(0).constants == Map(ColumnId(2) -> Literal.Text("x=y")))
    assert(listing.files(1).constants == Map(ColumnId(2) -> Literal.Null))
    assert(listing.files(2).constants.isEmpty)
    val Seq(id, path) = listing.mappings(MappingId(9)).columns: @unchecked
    assert(id.sourceName == "ID" && id.target == ColumnId(1) && !id.isPartition)
    assert(id.children.map(_.sourceName) == Vector("child"))
    assert(path.isPartition)
  }

  test("a blob from the path of a registered file has the characters of the path") {
    val lake = lakeWithFiles()
    lake.run(
      "UPDATE ducklake_column SET column_type = 'blob' WHERE column_id = 2",
      "UPDATE ducklake_data_file SET mapping_id = 9 WHERE data_file_id < 2",
      "INSERT INTO ducklake_name_mapping VALUES (9, 0, 's', 2, NULL, 1)",
    )
    lake.statistics(0, 1, 2, "abcd", "abcd")
    lake.statistics(1, 1, 2, "\\x00a", "\\x00a")

    assert(
      list(lake, 4).files.take(2).flatMap(_.constants.values) ==
        Vector(Literal.Bytes(ArraySeq(97, 98, 99, 100)), Literal.Bytes(ArraySeq(0, 97)))
    )
  }

  test("statistics are given for the columns asked for, where there are any") {
    val lake = lakeWithFiles()

    val listing = list(lake, 2, FileRequest(Vector.empty, Set(ColumnId(1), ColumnId(2)), None))
    val file = listing.statistics(listing.files.head.id)
    assert(file.keySet == Set(ColumnId(1)))
    val known = file(ColumnId(1))
    assert(known.min.contains(Literal.Integral(0)) && known.max.contains(Literal.Integral(99)))
    assert(known.valueCount.contains(100L) && known.nullCount.contains(0L))
  }

  test("a predicate leaves the files that may match") {
    val lake = lakeWithFiles()
    val noRow = lakeWithFiles()
    noRow.run("DELETE FROM ducklake_file_column_stats WHERE data_file_id = 2")
    val garbage = lakeWithFiles()
    garbage.run("UPDATE ducklake_file_column_stats SET max_value = 'x' WHERE data_file_id = 0")

    val listing = list(lake, 4, equalTo(1, 150))
    assert(ids(listing) == Vector(1))
    assert(listing.listedFiles == 3 && listing.listedBytes == 3000)
    assert(ids(list(lake, 4, equalTo(1, 900))).isEmpty)
    assert(ids(list(lake, 4, equalTo(2, 1))) == Vector(0, 1, 2))
    assert(ids(list(noRow, 4, equalTo(1, 150))) == Vector(1, 2))
    assert(ids(list(garbage, 4, equalTo(1, 150))) == Vector(0, 1))
  }

  test("texts are compared by their bytes") {
    val lake = lakeWithFiles()
    lake.statistics(0, 1, 2, "a", "zz")
    lake.statistics(1, 1, 2, "é", "\uFFFD")
    lake.statistics(2, 1, 2, "\uD83E\uDD86", "\uD83E\uDD86")
    def matching(value: String) = {
      val equal = Predicate.Compare(ColumnId(2), Comparison.Equal, Literal.Text(value))
      ids(list(lake, 4, FileRequest(Vector(equal), Set.empty, None)))
    }

    assert(matching("b") == Vector(0))
    assert(matching("\uD83E\uDD86") == Vector(2))
    assert(matching("ü") == Vector(1))
  }

  /** A file of the table with this bucket of the first column, and bounds that are in it. */
  private def bucket(lake: TestLake, file: Long, stored: String, min: Long, max: Long): Unit = {
    lake.run(
      s"DELETE FROM ducklake_file_column_stats WHERE data_file_id = $file",
      s"UPDATE ducklake_data_file SET partition_id = 6 WHERE data_file_id = $file",
      s"INSERT INTO ducklake_file_partition_value VALUES ($file, 1, 0, '$stored')",
    )
    lake.statistics(file, 1, 1, min.toString, max.toString)
  }

  // murmur3 of the long 34 is 2017239379 (Iceberg's own test value): bucket 379 of 1000. So are
  // those of 1231 and -432, and -1744 and 35 are in bucket 525.
  private val byBucket =
    "INSERT INTO ducklake_partition_column VALUES (6, 1, 0, 1, 'bucket(1000)')"

  test("a proven bucket prunes under the layout it was written for, and not files of another") {
    val lake = lakeWithFiles()
    lake.run(
      "INSERT INTO ducklake_partition_info VALUES (5, 1, 1, 3), (6, 1, 3, NULL)",
      "INSERT INTO ducklake_partition_column VALUES (5, 1, 0, 1, 'bucket(2)')",
      byBucket,
      "DELETE FROM ducklake_file_column_stats WHERE data_file_id = 0",
    )
    bucket(lake, 1, "525", -1744, 35)
    bucket(lake, 2, "379", -432, 1231)

    val listing = list(lake, 4, equalTo(1, 34))
    assert(ids(listing) == Vector(0, 2))
    val partition = listing.files.last.partition.getOrElse(fail("no partition"))
    assert(partition.id == PartitionId(6) && partition.values == Map(0 -> Some("379")))
    val leftOut = equalTo(1, 34).copy(partitionValues = PartitionValues.LeftOut)
    assert(list(lake, 4, leftOut).files.forall(_.partition.isEmpty))
  }

  test("a bucket prunes nothing without bounds, and no bucket does when one is wrong") {
    val unknown = lakeWithFiles()
    unknown.run(byBucket)
    bucket(unknown, 1, "525", -1744, 35)
    bucket(unknown, 2, "525", -1744, 35)
    unknown.run("DELETE FROM ducklake_file_column_stats WHERE data_file_id = 2")
    val wrong = lakeWithFiles()
    wrong.run(byBucket)
    bucket(wrong, 1, "525", -1744, 35)
    bucket(wrong, 2, "525", 34, 1231)

    assert(ids(list(unknown, 4, equalTo(1, 34))) == Vector(0, 2))
    assert(ids(list(wrong, 4, equalTo(1, 34))) == Vector(0, 1, 2))
  }

  test("once files were registered, no bucket prunes") {
    val lake = lakeWithFiles()
    lake.run(byBucket)
    bucket(lake, 1, "525", -1744, 35)
    bucket(lake, 2, "379", -432, 1231)
    def found = ids(list(lake, 4, equalTo(1, 34)))
    def registered = {
      val (at, table) = tableAt(lake, 4)
      at.hadRegisteredFiles(table)
    }

    assert(!registered && found == Vector(0, 2))
    lake.run("INSERT INTO ducklake_column_mapping VALUES (0, 9, 'map_by_name')")
    assert(!registered && found == Vector(0, 2))
    lake.run("INSERT INTO ducklake_column_mapping VALUES (1, 1, 'map_by_name')")
    assert(registered && found == Vector(0, 1, 2))
  }

  test("after inserts and deletes the index is right at the newest and at older snapshots") {
    val lake = lakeWithFiles()
    val before = ids(list(lake, 4, equalTo(1, 150)))
    lake.snapshot(5, 1, 4, "inserted_into_table:1")
    lake.dataFile(3, 1, 5)
    lake.statistics(3, 1, 1, "140", "160")
    val afterInsert = ids(list(lake, 5, equalTo(1, 150)))
    lake.snapshot(6, 1, 4, "deleted_from_table:1")
    lake.run("UPDATE ducklake_data_file SET end_snapshot = 6 WHERE data_file_id = 1")

    assert(before == Vector(1))
    assert(afterInsert == Vector(1, 3))
    assert(ids(list(lake, 6, equalTo(1, 150))) == Vector(3))
    assert(ids(list(lake, 5, equalTo(1, 150))) == Vector(1, 3))
    assert(ids(list(lake, 4, equalTo(1, 150))) == Vector(1))
    assert(list(lake, 6, equalTo(1, 150)).listedFiles == 3)
  }

  test("after an insert only the buckets of new files are read") {
    val lake = lakeWithFiles()
    lake.run("INSERT INTO ducklake_partition_info VALUES (6, 1, 1, NULL)", byBucket)
    bucket(lake, 1, "379", -432, 1231)
    bucket(lake, 2, "525", -1744, 35)
    val before = ids(list(lake, 4, equalTo(1, 34)))
    lake.snapshot(5, 1, 5, "inserted_into_table:1")
    lake.dataFile(3, 1, 5)
    lake.dataFile(4, 1, 5)
    bucket(lake, 3, "525", -1744, 35)
    bucket(lake, 4, "379", -432, 1231)
    // No engine changes a value. Whoever reads it again notices.
    lake.run(
      "UPDATE ducklake_file_partition_value SET partition_value = 'x' WHERE data_file_id = 1"
    )

    assert(before == Vector(0, 1))
    assert(ids(list(lake, 5, equalTo(1, 34))) == Vector(0, 1, 4))
  }

  test("after a compaction old snapshots are read anew") {
    val lake = lakeWithFiles()
    val before = ids(list(lake, 4, equalTo(1, 150)))
    lake.snapshot(5, 1, 4, "merge_adjacent:1")
    lake.run("DELETE FROM ducklake_data_file WHERE data_file_id < 2")
    lake.dataFile(3, 1, 2, "partial_max" -> "3")
    lake.statistics(3, 1, 1, "0", "199")

    assert(before == Vector(1))
    assert(ids(list(lake, 4, equalTo(1, 150))) == Vector(3))
    assert(ids(list(lake, 5, equalTo(1, 150))) == Vector(3))
  }

  test("a lake that was put back from a copy and went another way is read anew") {
    val lake = lakeWithFiles()
    val before = ids(list(lake, 4, equalTo(1, 150)))
    lake.run(
      "DELETE FROM ducklake_snapshot WHERE snapshot_id > 2",
      "DELETE FROM ducklake_snapshot_changes WHERE snapshot_id > 2",
      "DELETE FROM ducklake_data_file WHERE begin_snapshot > 2",
      "DELETE FROM ducklake_file_column_stats WHERE data_file_id > 0",
      "INSERT INTO ducklake_snapshot VALUES (3, '2026-02-01 00:00:00+00', 1, 10, 2), " +
        "(4, '2026-02-01 00:00:01+00', 1, 10, 2), (5, '2026-02-01 00:00:02+00', 1, 10, 2)",
      "INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) VALUES " +
        "(3, 'inserted_into_table:1'), (4, ''), (5, '')",
    )
    lake.dataFile(1, 1, 3)
    lake.statistics(1, 1, 1, "500", "599")

    assert(before == Vector(1))
    assert(ids(list(lake, 5, equalTo(1, 150))).isEmpty)
    assert(ids(list(lake, 4, equalTo(1, 550))) == Vector(1))
  }

  test("table_info has each table's files at the snapshot") {
    val lake = lakeWithFiles()

    val before = lake.open.at(SnapshotId(3)).tableInfo().head
    assert(before.tableName == "t" && before.tableId.value == 1 && before.schemaId.value == 0)
    assert(before.fileCount == 2 && before.fileSizeBytes == 2000)
    assert(before.deleteFileCount == 0 && before.deleteFileSizeBytes == 0)
  }
}
