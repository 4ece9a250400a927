package ducklake.catalog

import ducklake.catalog.testkit.TestLake
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

/** More files scheduled for deletion than are read at a time. */
class ScheduledFilesSpec extends AnyFunSuite {
  private val noon = Instant.parse("2026-01-01T12:00:00Z")
  private val table = "ducklake_files_scheduled_for_deletion"

  /** Files with numbers from 0 on, every second one scheduled before noon. */
  private def lakeWith(count: Int): TestLake = {
    val lake = TestLake.create()
    lake.run(
      s"INSERT INTO $table WITH RECURSIVE ids(id) AS " +
        s"(SELECT 0 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count - 1}) " +
        "SELECT id, printf('main/t/%07d', id), 1, " +
        "CASE id % 2 WHEN 0 THEN '2026-01-01 11:00:00+00' ELSE '2026-01-01 13:00:00+00' END FROM ids"
    )
    lake
  }

  test("files are read page by page, while those before are removed from the list") {
    val made = lakeWith(120000)
    val lake = made.open

    val numbers = lake.scheduledForDeletion(None).map { file =>
      if (file.path.endsWith("0049999") || file.path.endsWith("0099999"))
        made.run(s"DELETE FROM $table WHERE path <= '${file.storedPath}'")
      file.path.takeRight(7).toInt
    }

    assert(numbers.sameElements(Iterator.range(0, 120000)))
  }

  test("only as many files are read as are used") {
    val made = lakeWith(60000)
    made.run(s"UPDATE $table SET schedule_start = 'torn' WHERE data_file_id = 50000")

    assert(made.open.scheduledForDeletion(None).take(10).size == 10)
  }

  test("the database chooses the files by the time when they were scheduled") {
    val made = lakeWith(60000)
    // A later time that the database would not read.
    made.run(
      s"UPDATE $table SET path_is_relative = 'torn' WHERE data_file_id % 2 = 1 AND data_file_id > 9"
    )

    val found = made.open.scheduledForDeletion(Some(noon)).map(_.path.takeRight(7).toInt)
    assert(found.sameElements(Iterator.range(0, 60000, 2)))
  }

  test("times in another form are compared as times") {
    val made = lakeWith(4)
    made.run(
      s"UPDATE $table SET schedule_start = '2026-01-01 12:30:00+01' WHERE data_file_id = 1",
      s"UPDATE $table SET schedule_start = '2026-01-01 11:30:00-01' WHERE data_file_id = 2",
    )

    val found = made.open.scheduledForDeletion(Some(noon)).map(_.path.takeRight(1).toInt)
    assert(found.toVector == Vector(0, 1))
  }
}
