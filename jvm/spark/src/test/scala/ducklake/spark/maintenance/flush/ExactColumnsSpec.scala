package ducklake.spark.maintenance.flush

import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class ExactColumnsSpec extends AnyFunSuite {

  private val columns = Vector(Columns.leaf(1, "i", "int32"), Columns.leaf(2, "t", "timetz"))
  private val noon = 12L * 3600 * 1000000

  private def row(offsetSeconds: Int): Vector[Literal] =
    Vector(Literal.Integral(1), Literal.TimeTz(noon, offsetSeconds))

  test("a time with an offset becomes a text, and so does the whole column") {
    val exact = ExactColumns.of(columns, Vector(row(0), row(9000)))

    assert(exact.columns.map(_.dataType) == Vector(LakeType.Int32, LakeType.Varchar))
    assert(exact.values(row(9000)).last == Literal.Text("12:00:00+02:30"))
    assert(exact.values(row(0)).last == Literal.Text("12:00:00+00"))
    assert(exact.values(Vector(Literal.Null, Literal.Null)) == Vector(Literal.Null, Literal.Null))
  }

  test("times in UTC stay times") {
    val exact = ExactColumns.of(columns, Vector(row(0)))

    assert(exact.columns == columns)
    assert(exact.values(row(0)) == row(0))
  }
}
