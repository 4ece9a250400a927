package ducklake.catalog.types.bound

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class ExactBoundsSpec extends AnyFunSuite {

  test("numbers and dates are exact") {
    for (
      (literal, lakeType) <- Vector(
        Literal.Integral(5) -> LakeType.Int64,
        Literal.Date(Int.MaxValue) -> LakeType.Date,
        Literal.Dec(new java.math.BigDecimal("1.50")) -> LakeType.Decimal(5, 2),
        Literal.Timestamp(0) -> LakeType.TimestampTz,
        Literal.Floating(-15) -> LakeType.Float64,
        Literal.Floating(1 << 22) -> LakeType.Float32,
      )
    ) {
      assert(ExactBounds.min(Some(literal), lakeType).contains(literal))
      assert(ExactBounds.max(Some(literal), Some(false), lakeType).contains(literal))
    }
  }

  test("unknown bounds, texts and bytes are not") {
    assert(ExactBounds.min(None, LakeType.Int64).isEmpty)
    assert(ExactBounds.min(Some(Literal.Text("a")), LakeType.Varchar).isEmpty)
    assert(ExactBounds.max(Some(Literal.TimeTz(0, 0)), None, LakeType.TimeTz).isEmpty)
  }

  test("a float is not where it may be a zero of either sign, of an earlier type, or NaN") {
    for (value <- Vector(0, 0.1, 0.1f.toDouble, 0.75, 16777216, 1e300, Double.PositiveInfinity)) {
      assert(ExactBounds.min(Some(Literal.Floating(value)), LakeType.Float64).isEmpty)
      assert(ExactBounds.min(Some(Literal.Floating(value)), LakeType.Float32).isEmpty)
    }
    for (containsNan <- Vector(None, Some(true)))
      assert(ExactBounds.max(Some(Literal.Floating(15)), containsNan, LakeType.Float64).isEmpty)
  }
}
