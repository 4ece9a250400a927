package ducklake.catalog

import ducklake.catalog.listing.FileBounds
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

/** Listings of files that have enough rows. */
class FirstFilesSpec extends AnyFunSuite {

  /** Files of 100 rows and 1000 bytes. */
  private def lakeWith(files: Int): TestLake = {
    val lake = TestLake.create("1.0")
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "id", "int64"))
    lake.snapshot(2, 1, files.toLong, "inserted_into_table:1")
    lake.dataFile(0, 1, 2)
    lake.run(
      s"WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${files - 1}) " +
        "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path, " +
        "path_is_relative, file_format, record_count, file_size_bytes, footer_size, row_id_start) " +
        "SELECT id, 1, 2, 'f' || id || '.parquet', 1, 'parquet', 100, 1000, 10, id * 100 FROM ids"
    )
    lake
  }

  private def list(lake: TestLake, rows: Long): FileListing = {
    val at = lake.open.newest().getOrElse(fail("no lake"))
    val table = at.table("main", "t").getOrElse(fail("no table"))
    at.files(table, FileRequest.everyFile.copy(enoughRows = Some(rows)))
  }

  private def ids(listing: FileListing): Vector[Long] = listing.files.map(_.id.value)

  test("files after those that have enough rows are not read") {
    val lake = lakeWith(1000)
    lake.run("UPDATE ducklake_data_file SET file_format = 'torn' WHERE data_file_id >= 500")

    assert(ids(list(lake, 1)) == Vector.range(0, 100))
    assert(ids(list(lake, 10000)) == Vector.range(0, 100))
    val more = list(lake, 10001)
    assert(ids(more) == Vector.range(0, 500))
    assert(more.listedFiles == 1000 && more.listedBytes == 1000000)
  }

  test("all files are read when they have not enough rows") {
    assert(ids(list(lakeWith(1000), 100001)) == Vector.range(0, 1000))
    assert(ids(list(lakeWith(100), 10000)) == Vector.range(0, 100))
  }

  test("bounds of very many files are those of the catalog") {
    val lake = lakeWith(5500)
    lake.run(
      "INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id, value_count, " +
        "null_count, min_value, max_value) SELECT data_file_id, 1, 1, 90, data_file_id % 3, " +
        "data_file_id, data_file_id + 5 FROM ducklake_data_file WHERE data_file_id <> 70"
    )
    val at = lake.open.newest().getOrElse(fail("no lake"))
    val table = at.table("main", "t").getOrElse(fail("no table"))
    val asked = FileRequest.everyFile.copy(bounds = Set(ColumnId(1), ColumnId(9)))

    val bounds = at.files(table, asked).bounds

    val known = bounds.of(DataFileId(5000))(ColumnId(1))
    assert(known.min.contains(Literal.Integral(5000)) && known.max.contains(Literal.Integral(5005)))
    assert(known.nullCount.contains(2L))
    assert(bounds.of(DataFileId(70)).isEmpty && bounds.of(DataFileId(5500)).isEmpty)
  }

  test("no index of very many files is read when nobody asks for bounds") {
    val lake = lakeWith(5500).open
    val at = lake.newest().getOrElse(fail("no lake"))
    val table = at.table("main", "t").getOrElse(fail("no table"))

    assert(at.files(table, FileRequest.everyFile).bounds == FileBounds.none)
  }

  test("deleted rows and rows of later snapshots do not count") {
    val lake = lakeWith(1000)
    lake.run(
      "INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, data_file_id, " +
        "path, path_is_relative, format, delete_count, file_size_bytes, footer_size) " +
        "VALUES (5000, 1, 2, 7, 'd.parquet', 1, 'parquet', 30, 100, 10)",
      "UPDATE ducklake_data_file SET partial_max = 3 WHERE data_file_id = 9",
    )

    assert(list(lake, 9870).files.size == 100)
    assert(list(lake, 9871).files.size == 500)
  }
}
