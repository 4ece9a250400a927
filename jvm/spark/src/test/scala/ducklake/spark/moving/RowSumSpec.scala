package ducklake.spark.moving

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

/** What tells rows apart, and what does not. */
class RowSumSpec extends AnyFunSuite {

  private def sum(types: DataType*)(rows: Vector[Any]*): RowSum = {
    val fields = types.zipWithIndex.map { case (each, at) => StructField(s"c$at", each) }
    RowSum.of(rows.iterator.map(InternalRow.fromSeq(_)), StructType(fields))
  }

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def differ(types: DataType*)(one: Vector[Any], other: Vector[Any]): Assertion = {
    val isCommutative = sum(types: _*)(one, other) == sum(types: _*)(other, one)
    assert(isCommutative && sum(types: _*)(one) != sum(types: _*)(other))
  }

  test("NULL is no empty text") {
    differ(StringType)(Vector(text("")), Vector(null))
  }

  test("NULL in one column is not NULL in another") {
    differ(LongType, LongType)(Vector(null, 1L), Vector(1L, null))
  }

  test("texts do not run into each other") {
    differ(StringType, StringType)(Vector(text("ab"), text("")), Vector(text("a"), text("b")))
  }

  test("floating numbers are their bits") {
    differ(DoubleType)(Vector(0.0), Vector(-0.0))
  }

  test("single floating numbers are their bits") {
    differ(FloatType)(Vector(0.0f), Vector(-0.0f))
  }

  test("one NaN is not another") {
    val other = java.lang.Double.longBitsToDouble(0x7ff8000000000001L)
    differ(DoubleType)(Vector(Double.NaN), Vector(other))
  }

  test("a list of lists keeps its ends") {
    val lists = ArrayType(ArrayType(IntegerType))
    def list(items: Vector[Int]*): ArrayData =
      ArrayData.toArrayData(items.map(each => ArrayData.toArrayData(each.toArray)).toArray)
    differ(lists)(Vector(list(Vector(1), Vector(2))), Vector(list(Vector(1, 2), Vector())))
  }

  test("an empty list is not NULL") {
    differ(ArrayType(IntegerType))(Vector(ArrayData.toArrayData(Array.empty[Int])), Vector(null))
  }

  test("a struct of NULLs is not NULL") {
    val struct = StructType(Seq(StructField("a", IntegerType)))
    differ(struct)(Vector(InternalRow(null)), Vector(null))
  }

  test("decimals are equal in whatever form they are") {
    val exact = Decimal(new java.math.BigDecimal("1.50"), 9, 2)
    assert(sum(DecimalType(9, 2))(Vector(exact)) == sum(DecimalType(9, 2))(Vector(Decimal("1.5"))))
  }

  test("a row counts as often as it is there") {
    val one = sum(LongType)(Vector(1L), Vector(1L), Vector(2L))
    val other = sum(LongType)(Vector(1L), Vector(2L), Vector(2L))
    assert(one.count == other.count && one != other)
  }
}
