package ducklake.catalog.types

import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

class LiteralOrderSpec extends AnyFunSuite {

  private def ascending(lakeType: LakeType.Primitive, literals: Literal*): Unit = {
    val order = LiteralOrder.of(lakeType).getOrElse(fail(s"$lakeType has no order"))
    for ((low, i) <- literals.zipWithIndex; (high, j) <- literals.zipWithIndex) {
      assert(order.compare(low, high).sign == i.compare(j).sign, s"$low $high")
    }
  }

  test("floats go from negative infinity over zero to NaN") {
    ascending(
      LakeType.Float64,
      Literal.Floating(Double.NegativeInfinity),
      Literal.Floating(-1.5),
      Literal.Floating(0.0),
      Literal.Floating(Double.PositiveInfinity),
      Literal.Floating(Double.NaN),
    )
  }

  test("the two zeros are equal") {
    val order = LiteralOrder.of(LakeType.Float64)

    assert(order.exists(_.equiv(Literal.Floating(-0.0), Literal.Floating(0.0))))
  }

  test("texts go by the bytes of UTF-8, supplementary characters last") {
    ascending(
      LakeType.Varchar,
      Literal.Text(""),
      Literal.Text("10"),
      Literal.Text("9"),
      Literal.Text("a"),
      Literal.Text("ab"),
      Literal.Text("é"),
      Literal.Text("\uffee"),
      Literal.Text("🦆"),
      Literal.Text("🦆a"),
    )
  }

  test("infinities surround the dates and timestamps") {
    ascending(
      LakeType.Date,
      Literal.Date(-Int.MaxValue),
      Literal.Date(-735160),
      Literal.Date(0),
      Literal.Date(Int.MaxValue),
    )
  }

  test("bytes are unsigned") {
    ascending(
      LakeType.Blob,
      Literal.Bytes(ArraySeq()),
      Literal.Bytes(ArraySeq[Byte](0)),
      Literal.Bytes(ArraySeq[Byte](127)),
      Literal.Bytes(ArraySeq[Byte](-128)),
    )
  }

  test("numbers go by value, not by text") {
    ascending(LakeType.UInt64, Literal.BigIntegral(9), Literal.BigIntegral(10))
    ascending(
      LakeType.Decimal(5, 2),
      Literal.Dec(new java.math.BigDecimal("-1.00")),
      Literal.Dec(new java.math.BigDecimal("0.50")),
    )
  }

  test("variants and intervals are not compared") {
    assert(LiteralOrder.of(LakeType.Variant).isEmpty)
    assert(LiteralOrder.of(LakeType.Interval).isEmpty)
  }
}
