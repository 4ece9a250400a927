package ducklake.catalog.read.feed

import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.testkit.ChangeSamples
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class ChangeFeedReaderSpec extends AnyFunSuite {

  test("of many changed files only their own delete files are read") {
    val lake = ChangeSamples.table()
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.dataFile(0, 1, 2)
    lake.snapshot(3, 1, 2, "deleted_from_table:1")
    ChangeSamples.deleteFile(lake, id = 1, dataFile = 0, begin = 3)
    lake.snapshot(4, 1, 6002, "inserted_into_table:1")
    lake.run(
      // The delete file of the file that does not change is refused when it is read.
      "UPDATE ducklake_delete_file SET format = 'unknown'",
      "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path, " +
        "path_is_relative, record_count, file_size_bytes, row_id_start) " +
        "WITH RECURSIVE numbers(id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM numbers " +
        "WHERE id < 6001) SELECT id, 1, 4, 'f' || id || '.parquet', 1, 1, 1, id FROM numbers",
    )
    val at = lake.open.at(SnapshotId(4))
    val table = at.table("main", "t").getOrElse(fail("no table"))

    val changes = at.changes(table, ChangeRequest(SnapshotId(4), inlined = None))

    assert(changes.files.map(_.file.id.value) == (2L to 6001L))
  }
}
