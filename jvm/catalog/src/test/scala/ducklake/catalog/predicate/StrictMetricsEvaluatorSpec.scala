package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.predicate.Comparison.*
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class StrictMetricsEvaluatorSpec extends AnyFunSuite {
  private val a = ColumnId(1)

  private val known = ColumnStatistics(
    Some(Literal.Integral(5)),
    Some(Literal.Integral(9)),
    valueCount = Some(10),
    nullCount = Some(0),
    containsNan = None,
    sizeBytes = None,
  )

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def isWhole(p: Predicate, stats: ColumnStatistics, lakeType: LakeType): Boolean =
    StrictMetricsEvaluator.allRowsMatch(p, Map(a -> stats).get, Map(a -> lakeType).get)

  private def isWhole(p: Predicate, stats: ColumnStatistics): Boolean =
    isWhole(p, stats, LakeType.Int32)

  private def compare(operator: Comparison, value: Literal): Predicate = Compare(a, operator, value)

  test("all rows match where the bounds say so") {
    val expected = Vector(
      compare(Greater, whole(4)) -> true,
      compare(Greater, whole(5)) -> false,
      compare(GreaterOrEqual, whole(5)) -> true,
      compare(Less, whole(10)) -> true,
      compare(LessOrEqual, whole(8)) -> false,
      compare(NotEqual, whole(4)) -> true,
      compare(NotEqual, whole(7)) -> false,
      compare(Equal, whole(5)) -> false,
      IsNotNull(a) -> true,
      IsNull(a) -> false,
      False -> false,
      Not(False) -> true,
      Not(compare(Less, whole(5))) -> true,
      Not(In(a, Vector(whole(1), whole(10)))) -> true,
      And(compare(Greater, whole(1)), compare(Less, whole(6))) -> false,
      Or(compare(Greater, whole(1)), compare(Less, whole(0))) -> true,
      Not(And(compare(Greater, whole(20)), compare(Less, whole(6)))) -> true,
    )

    for ((predicate, answer) <- expected) assert(isWhole(predicate, known) == answer, predicate)
  }

  test("a file of one value is equal to it") {
    val one = known.copy(max = known.min)

    assert(isWhole(compare(Equal, whole(5)), one))
    assert(isWhole(In(a, Vector(whole(1), whole(5))), one))
    assert(!isWhole(Not(In(a, Vector(whole(5)))), one))
  }

  test("a row that may be NULL may not match, also under NOT") {
    val always = compare(Greater, whole(1))

    for (nulls <- Vector(None, Some(3L))) {
      val stats = known.copy(nullCount = nulls)
      assert(!isWhole(always, stats))
      assert(!isWhole(Not(Not(always)), stats))
      assert(!isWhole(Not(compare(Less, whole(1))), stats))
      assert(!isWhole(Or(IsNull(a), always), stats))
    }
    assert(!isWhole(compare(NotEqual, Literal.Null), known))
    assert(!isWhole(Not(compare(Equal, Literal.Null)), known))
  }

  test("only NULL is IS NULL") {
    val onlyNull = ColumnStatistics(None, None, Some(0), Some(3), None, None)

    assert(isWhole(IsNull(a), onlyNull))
    assert(!isWhole(compare(Equal, whole(5)), onlyNull))
    assert(!isWhole(Not(compare(Equal, whole(5))), onlyNull))
  }

  test("what is not known does not match") {
    val always = compare(Greater, whole(1))
    val unknown =
      StrictMetricsEvaluator.allRowsMatch(always, _ => None, Map(a -> LakeType.Int32).get)
    val noType = StrictMetricsEvaluator.allRowsMatch(always, Map(a -> known).get, _ => None)

    assert(!unknown)
    assert(!noType)
    assert(!isWhole(always, known.copy(min = None)))
    assert(!isWhole(always, known.copy(valueCount = Some(0))))
    assert(!isWhole(always, known.copy(min = known.max, max = known.min)))
    assert(!isWhole(StartsWith(a, ""), known.copy(min = Some(Literal.Text("x"))), LakeType.Varchar))
  }

  test("a bound of a float may be off by one: the text may be that of a decimal") {
    val floats = known.copy(
      min = Some(Literal.Floating(1.5)),
      max = Some(Literal.Floating(2.5)),
      containsNan = Some(false),
    )

    assert(!isWhole(compare(GreaterOrEqual, Literal.Floating(1.5)), floats, LakeType.Float64))
    assert(!isWhole(compare(LessOrEqual, Literal.Floating(2.5)), floats, LakeType.Float32))
    assert(isWhole(compare(Greater, Literal.Floating(1.4999)), floats, LakeType.Float32))
    assert(isWhole(compare(LessOrEqual, Literal.Floating(2.5001)), floats, LakeType.Float64))
  }

  test("NaN is the greatest float, unless it is ruled out") {
    val floats = known.copy(
      min = Some(Literal.Floating(1.5)),
      max = Some(Literal.Floating(2.5)),
      containsNan = Some(false),
    )
    val maybe = floats.copy(containsNan = None)
    val below = compare(Less, Literal.Floating(3))
    val above = compare(Greater, Literal.Floating(1))

    assert(isWhole(below, floats, LakeType.Float64))
    assert(!isWhole(below, maybe, LakeType.Float64))
    assert(isWhole(above, maybe, LakeType.Float64))
  }

  test("bounds of timestamps that some writers round, and of texts of JSON, say nothing") {
    val bound = Some(Literal.Timestamp(5))
    val stats = known.copy(min = bound, max = bound)
    val same = compare(Equal, Literal.Timestamp(5))

    assert(isWhole(same, stats, LakeType.Timestamp))
    assert(isWhole(same, stats, LakeType.TimestampTz))
    assert(!isWhole(same, stats, LakeType.TimestampS))
    assert(!isWhole(same, stats, LakeType.TimestampMs))
    assert(!isWhole(IsNotNull(a), known, LakeType.Json))
  }

  test("a row matches or does not, as far as its values are known") {
    assert(StrictMetricsEvaluator.rowMatches(compare(Equal, whole(5)), Map(a -> whole(5)).get))
    assert(!StrictMetricsEvaluator.rowMatches(compare(Equal, whole(5)), Map(a -> whole(6)).get))
    assert(
      !StrictMetricsEvaluator.rowMatches(
        compare(NotEqual, whole(5)),
        Map[ColumnId, Literal](a -> Literal.Null).get,
      )
    )
    assert(!StrictMetricsEvaluator.rowMatches(IsNotNull(a), _ => None))
  }
}
