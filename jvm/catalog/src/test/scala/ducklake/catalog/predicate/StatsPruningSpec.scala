package ducklake.catalog.predicate

import ducklake.catalog.predicate.Comparison.*
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class StatsPruningSpec extends AnyFunSuite {
  private val column = ColumnId(1)

  private def stored(
      min: String,
      max: String,
      values: Long = 10,
      nulls: Long = 0,
      containsNan: Option[Boolean] = None,
  ): StoredStatistics =
    StoredStatistics(
      Some(min),
      Some(max),
      Some(values),
      Some(nulls),
      containsNan,
      sizeBytes = Some(100),
    )

  private def mayMatch(p: Predicate, row: StoredStatistics, lakeType: LakeType): Boolean =
    StatsPruning.mayMatch(
      p,
      Map(column -> StatisticsText.read(row, lakeType)).get,
      _ => Some(lakeType),
    )

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def float(value: Double): Literal = Literal.Floating(value)

  private def compare(operator: Comparison, value: Literal): Predicate =
    Compare(column, operator, value)

  test("comparisons are judged by the bounds, as numbers") {
    val row = stored("9", "100")
    val expected = Vector(
      (Equal, 8L, false),
      (Equal, 9L, true),
      (Equal, 100L, true),
      (Equal, 101L, false),
      (Less, 9L, false),
      (Less, 10L, true),
      (LessOrEqual, 8L, false),
      (LessOrEqual, 9L, true),
      (Greater, 100L, false),
      (Greater, 99L, true),
      (GreaterOrEqual, 101L, false),
      (GreaterOrEqual, 100L, true),
      (NotEqual, 9L, true),
    )

    for ((operator, value, answer) <- expected)
      assert(
        mayMatch(compare(operator, whole(value)), row, LakeType.Int32) == answer,
        s"$operator $value",
      )
    assert(!mayMatch(In(column, Vector(whole(1), whole(101))), row, LakeType.Int32))
    assert(mayMatch(In(column, Vector(whole(1), whole(50))), row, LakeType.Int32))
  }

  test("a file with one value matches neither its negation nor NOT IN") {
    val row = stored("5", "5", nulls = 3)

    assert(!mayMatch(compare(NotEqual, whole(5)), row, LakeType.Int32))
    assert(!mayMatch(Not(compare(Equal, whole(5))), row, LakeType.Int32))
    assert(!mayMatch(Not(In(column, Vector(whole(4), whole(5)))), row, LakeType.Int32))
    assert(mayMatch(Not(In(column, Vector(whole(4)))), row, LakeType.Int32))
  }

  test("NULL makes neither a predicate nor its negation true") {
    val onlyNull = stored("x", "x", values = 0, nulls = 3).copy(min = None, max = None)

    assert(!mayMatch(compare(Equal, whole(5)), onlyNull, LakeType.Int32))
    assert(!mayMatch(Not(compare(Equal, whole(5))), onlyNull, LakeType.Int32))
    assert(!mayMatch(compare(Equal, Literal.Null), stored("1", "2"), LakeType.Int32))
    assert(mayMatch(IsNull(column), onlyNull, LakeType.Int32))
    assert(!mayMatch(IsNotNull(column), onlyNull, LakeType.Int32))
    assert(!mayMatch(Not(IsNull(column)), onlyNull, LakeType.Int32))
    assert(!mayMatch(IsNull(column), stored("1", "2"), LakeType.Int32))
  }

  test("a float's maximum counts only where NaN is ruled out") {
    val above = compare(Greater, float(5))
    val isNan = compare(Equal, float(Double.NaN))
    for (containsNan <- Vector(None, Some(true))) {
      val row = stored("1.0", "2.0", containsNan = containsNan)

      assert(mayMatch(above, row, LakeType.Float64))
      assert(mayMatch(isNan, row, LakeType.Float64))
      assert(mayMatch(compare(NotEqual, float(1)), row, LakeType.Float64))
      assert(!mayMatch(compare(Less, float(0.99)), row, LakeType.Float64))
    }
    val without = stored("1.0", "2.0", containsNan = Some(false))
    assert(!mayMatch(above, without, LakeType.Float64))
    assert(!mayMatch(isNan, without, LakeType.Float64))
  }

  test("one zero finds the other") {
    val row = stored("0.0", "0.0", containsNan = Some(false))

    assert(mayMatch(compare(Equal, float(-0.0)), row, LakeType.Float64))
    assert(!mayMatch(compare(Less, float(-0.0)), row, LakeType.Float64))
  }

  test("bounds that were written for a single precision float hold for its promotion") {
    val row = stored("0.1", "0.1", containsNan = Some(false))

    assert(mayMatch(compare(Equal, float(0.1f.toDouble)), row, LakeType.Float64))
    assert(mayMatch(compare(Equal, float(0.1)), row, LakeType.Float64))
    assert(mayMatch(compare(NotEqual, float(0.1)), row, LakeType.Float64))
    assert(!mayMatch(compare(Equal, float(0.2)), row, LakeType.Float64))
  }

  test("bounds that were written for a decimal hold for the float that a cast makes of it") {
    val digits = "123456789012345.675"
    val row = stored(digits, digits, containsNan = Some(false))
    val nearest = digits.toDouble
    val single = digits.toFloat.toDouble

    for (off <- -3 to 3) {
      val cast = nearest + off * Math.ulp(nearest)
      assert(mayMatch(compare(Equal, float(cast)), row, LakeType.Float64), s"$off")
      assert(mayMatch(compare(NotEqual, float(cast)), row, LakeType.Float64), s"$off")
      val castToSingle = single + off * Math.ulp(single.toFloat)
      assert(mayMatch(compare(Equal, float(castToSingle)), row, LakeType.Float32), s"$off")
    }
    assert(!mayMatch(compare(Equal, float(nearest + 20)), row, LakeType.Float64))
    assert(!mayMatch(compare(Less, float(1.2345e14)), row, LakeType.Float32))
  }

  test("texts compare by bytes, and cut bounds are bounds") {
    val cut = stored("a" * 256, "a" * 255 + "b")

    assert(mayMatch(compare(Equal, Literal.Text("a" * 300)), cut, LakeType.Varchar))
    assert(!mayMatch(compare(Equal, Literal.Text("b")), cut, LakeType.Varchar))
    assert(mayMatch(compare(Greater, Literal.Text("\uffee")), stored("a", "🦆"), LakeType.Varchar))
  }

  test("a prefix matches between the bounds") {
    val row = stored("banana", "cherry")
    val expected =
      Vector("b" -> true, "ban" -> true, "bananas" -> true, "c" -> true, "a" -> false, "d" -> false)

    for ((prefix, answer) <- expected)
      assert(mayMatch(StartsWith(column, prefix), row, LakeType.Varchar) == answer, prefix)
    assert(mayMatch(StartsWith(column, ""), row, LakeType.Varchar))
    assert(!mayMatch(StartsWith(column, "bam"), row, LakeType.Varchar))
    assert(!mayMatch(StartsWith(column, "cherrz"), row, LakeType.Varchar))
  }

  test("AND needs both sides, OR one, and NOT turns them around") {
    val row = stored("1", "9")
    val (in, out) = (compare(Equal, whole(5)), compare(Equal, whole(50)))

    assert(!mayMatch(And(in, out), row, LakeType.Int32))
    assert(mayMatch(Or(in, out), row, LakeType.Int32))
    assert(mayMatch(Not(And(in, out)), row, LakeType.Int32))
    assert(!mayMatch(Not(Or(in, Not(out))), row, LakeType.Int32))
    assert(!mayMatch(False, row, LakeType.Int32))
    assert(mayMatch(Not(False), row, LakeType.Int32))
  }

  test("what is not known may match") {
    val bytes = Literal.Bytes(scala.collection.immutable.ArraySeq[Byte](9))
    val bogus = stored("1", "2", values = 0)

    assert(StatsPruning.mayMatch(compare(Equal, whole(5)), _ => None, _ => Some(LakeType.Int32)))
    assert(mayMatch(compare(Equal, whole(5)), stored("true", "x"), LakeType.Int32))
    assert(mayMatch(compare(Equal, bytes), stored("00", "01"), LakeType.Blob))
    assert(mayMatch(compare(Equal, Literal.BigIntegral(5)), stored("1", "2"), LakeType.Int128))
    assert(mayMatch(IsNotNull(column), bogus, LakeType.TimeTz))
    assert(mayMatch(IsNull(column), bogus, LakeType.Interval))
    assert(mayMatch(IsNull(column), stored("1", "2"), LakeType.Variant))
    assert(mayMatch(compare(Equal, Literal.Text("5")), stored("6", "7"), LakeType.Int32))
  }

  test("infinite and ancient dates are in order") {
    val row = stored("0044-03-15 (BC)", "infinity")

    assert(!mayMatch(compare(Less, Literal.Date(-735160)), row, LakeType.Date))
    assert(mayMatch(compare(Equal, Literal.Date(Int.MaxValue)), row, LakeType.Date))
    assert(mayMatch(compare(Greater, Literal.Date(20000)), row, LakeType.Date))
  }

  test("a row is judged by its values") {
    val nan = float(Double.NaN)
    val expected = Vector(
      (compare(Equal, whole(5)), whole(5), true),
      (compare(Equal, whole(5)), whole(6), false),
      (Not(compare(Equal, whole(5))), whole(5), false),
      (compare(Equal, float(0.0)), float(-0.0), true),
      (compare(Greater, float(1.0)), nan, true),
      (compare(Less, float(1.0)), nan, false),
      (IsNull(column), Literal.Null, true),
      (IsNull(column), whole(5), false),
      (IsNotNull(column), Literal.Null, false),
      (compare(NotEqual, whole(5)), Literal.Null, false),
    )

    for ((predicate, value, answer) <- expected)
      assert(
        StatsPruning.mayMatchRow(predicate, Map(column -> value).get) == answer,
        s"$predicate of $value",
      )
    assert(StatsPruning.mayMatchRow(compare(Equal, whole(5)), _ => None))
  }
}
