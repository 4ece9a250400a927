package ducklake.catalog.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.Column
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import scala.annotation.tailrec

/** Rows of the catalog that are trees, deeper than any stack or without an end. */
final class DeepRowsSpec extends AnyFunSuite {

  private def lakeWith(columns: (Long, String, String)*): TestLake = {
    val lake = TestLake.create()
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", columns*)
    lake
  }

  /** A struct in a struct in a struct …, with an integer in the last. */
  private def nested(levels: Int): TestLake = {
    val structs = (1 until levels).map(id => (id.toLong, s"s$id", "struct"))
    val lake = lakeWith((structs :+ ((levels.toLong, "x", "int32")))*)
    lake.run("UPDATE ducklake_column SET parent_column = column_id - 1 WHERE column_id > 1")
    lake
  }

  private def mapped(rows: String*): TestLake = {
    val lake = lakeWith((1, "id", "int64"))
    lake.dataFile(0, 1, 1)
    lake.run(
      "UPDATE ducklake_data_file SET mapping_id = 9",
      s"INSERT INTO ducklake_name_mapping VALUES ${rows.mkString(", ")}",
    )
    lake
  }

  private def chain(levels: Int): TestLake =
    mapped((0 until levels).map { number =>
      val parent = if (number == 0) "NULL" else s"${number - 1}"
      s"(9, $number, 'n$number', 1, $parent, 0)"
    }*)

  private def table(lake: TestLake): LakeTable =
    lake.open.at(SnapshotId(1)).table("main", "t").getOrElse(fail("no table"))

  private def mapping(lake: TestLake): Vector[MappedColumn] = {
    val files = lake.open.at(SnapshotId(1)).files(table(lake), FileRequest.everyFile)
    files.mappings(MappingId(9)).columns
  }

  private def refusal(read: => Any): (String, String) =
    intercept[LakeException](read).error match {
      case LakeError.CorruptCatalog(subject, why) => (subject, why)
      case other => fail(other.toString)
    }

  @tailrec
  private def depth(columns: Vector[Column], above: Int = 0): Int =
    if (columns.isEmpty) above else depth(columns.flatMap(_.children), above + 1)

  @tailrec
  private def mappedDepth(columns: Vector[MappedColumn], above: Int = 0): Int =
    if (columns.isEmpty) above else mappedDepth(columns.flatMap(_.children), above + 1)

  test("columns of 500 levels are read, deeper ones are refused by name") {
    assert(depth(table(nested(500)).columns) == 500)
    Seq(501, 9000).foreach { levels =>
      val (subject, why) = refusal(table(nested(levels)))
      assert(subject.contains("ducklake_column, column_id 501"))
      assert(why == "it is nested more than 500 levels deep")
    }
  }

  test("names of 500 levels are read, deeper ones are refused by name") {
    assert(mappedDepth(mapping(chain(500))) == 500)
    Seq(501, 9000).foreach { levels =>
      val (subject, why) = refusal(mapping(chain(levels)))
      assert(subject == "name `n500` (ducklake_name_mapping, mapping_id 9, column_id 500)")
      assert(why == "it is nested more than 500 levels deep")
    }
  }

  test("a mapping with two rows of one column_id is refused, also when one is below itself") {
    val circle = mapped("(9, 0, 'a', 1, NULL, 0)", "(9, 0, 'b', 1, 0, 0)")
    val twice = mapped("(9, 3, 'a', 1, NULL, 0)", "(9, 3, 'b', 1, NULL, 0)")

    assert(
      refusal(mapping(circle)) == (
        (
          "name `a` (ducklake_name_mapping, mapping_id 9, column_id 0)",
          "several rows of the mapping have this column_id",
        )
      )
    )
    assert(refusal(mapping(twice))._1.endsWith("column_id 3)"))
  }
}
