package ducklake.catalog.listing

import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Column
import org.scalatest.funsuite.AnyFunSuite

class InlinedTableSpec extends AnyFunSuite {
  private val own = Vector("row_id", "begin_snapshot", "end_snapshot")
  private val shape: Vector[Column] =
    Vector(Columns.leaf(1, "Mixed", "int32"), Columns.leaf(2, "b", "int32"))

  test("columns have the names that the database has, by place") {
    assert(named(own ++ Vector("mixed", "other"))(shape) == Vector("mixed", "other"))
  }

  test("columns have the names of the catalog where the database has none") {
    assert(named(Vector.empty)(shape) == Vector("Mixed", "b"))
  }

  test("columns are matched by name where the schema version has fewer or more of them") {
    assert(named(own ++ Vector("a", "b", "mixed"))(shape) == Vector("mixed", "b"))
    assert(named(own ++ Vector("a", "b"))(Vector.empty) == Vector.empty)
    assert(named(own :+ "mixed")(shape) == Vector("mixed", "b"))
  }

  private def named(stored: Vector[String]): Vector[Column] => Vector[String] =
    InlinedTable("ducklake_inlined_data_1_1", 1, stored).columnNames(_)
}
