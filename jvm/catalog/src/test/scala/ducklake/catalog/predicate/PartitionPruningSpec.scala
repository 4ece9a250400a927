package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Comparison.*
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.ValueText
import org.scalatest.funsuite.AnyFunSuite

class PartitionPruningSpec extends AnyFunSuite {
  private val column = ColumnId(1)

  /** Keys on the one column, each with its value. */
  private def mayMatch(
      p: Predicate,
      lakeType: LakeType,
      keys: (Transform, Option[String])*
  ): Boolean = {
    val spec = PartitionSpec(
      PartitionId(7),
      keys.toVector.zipWithIndex.map { case ((transform, _), i) =>
        PartitionKey(i, column, transform)
      },
    )
    val values = keys.zipWithIndex.map { case ((_, value), i) => i -> value }.toMap
    PartitionPruning.mayMatch(p, spec, FilePartition(PartitionId(7), values), _ => Some(lakeType))
  }

  private def text(value: String): Literal = Literal.Text(value)

  private def at(operator: Comparison, value: String, lakeType: LakeType.Primitive): Predicate =
    Compare(column, operator, ValueText.parseCast(value, lakeType).getOrElse(fail(value)))

  test("identity is one value, and NULL is not the text NULL") {
    val isNull = Transform.Identity -> None
    val isWord = Transform.Identity -> Some("NULL")

    assert(mayMatch(Compare(column, Equal, text("NULL")), LakeType.Varchar, isWord))
    assert(!mayMatch(Compare(column, Equal, text("x")), LakeType.Varchar, isWord))
    assert(!mayMatch(IsNull(column), LakeType.Varchar, isWord))
    assert(mayMatch(IsNull(column), LakeType.Varchar, isNull))
    assert(!mayMatch(IsNotNull(column), LakeType.Varchar, isNull))
    assert(!mayMatch(Compare(column, NotEqual, text("x")), LakeType.Varchar, isNull))
    assert(!mayMatch(Compare(column, NotEqual, text("NULL")), LakeType.Varchar, isWord))
  }

  test("an ordinal is a range of values, also for times with a zone") {
    val day = Transform.Epoch(Transform.Day) -> Some("-1")
    Vector(LakeType.Timestamp -> "", LakeType.TimestampNs -> "", LakeType.TimestampTz -> "+00")
      .foreach { case (lakeType, zone) =>
        def may(operator: Comparison, value: String): Boolean =
          mayMatch(at(operator, value + zone, lakeType), lakeType, day)
        assert(may(Equal, "1969-12-31 00:00:00"))
        assert(may(Equal, "1969-12-31 23:59:59.999999"))
        assert(!may(Equal, "1969-12-30 23:59:59.999999"))
        assert(!may(Equal, "1970-01-01 00:00:00"))
        assert(may(Less, "1969-12-31 00:00:00.000001") && !may(Less, "1969-12-31 00:00:00"))
        assert(!may(GreaterOrEqual, "1970-01-01 00:00:00") && may(Greater, "1960-01-01 00:00:00"))
        assert(!mayMatch(IsNull(column), lakeType, day))
      }
  }

  test("an ordinal that is NULL stands for NULL and for infinite values") {
    val none = Transform.Epoch(Transform.Month) -> None

    assert(mayMatch(IsNull(column), LakeType.Date, none))
    assert(mayMatch(at(Equal, "infinity", LakeType.Date), LakeType.Date, none))
  }

  test("an ordinal that is no number, or too large, says only that there are values") {
    Vector("x", "", "99999999999999").foreach { text =>
      val key = Transform.Epoch(Transform.Day) -> Some(text)
      assert(mayMatch(at(Equal, "2020-01-01", LakeType.Date), LakeType.Date, key))
      assert(!mayMatch(IsNull(column), LakeType.Date, key))
    }
  }

  test("identity is read by the current type") {
    val half = Literal.Dec(new java.math.BigDecimal("1.5000"))
    val instant = "2024-01-01 00:00:00+00"

    assert(
      mayMatch(
        Compare(column, Equal, half),
        LakeType.Decimal(10, 4),
        Transform.Identity -> Some("1.50"),
      )
    )
    assert(
      mayMatch(
        at(Equal, instant, LakeType.TimestampTz),
        LakeType.TimestampTz,
        Transform.Identity -> Some("2024-01-01"),
      )
    )
    assert(
      mayMatch(at(Equal, "1", LakeType.Int32), LakeType.Int32, Transform.Identity -> Some("true"))
    )
    assert(
      mayMatch(
        at(Equal, "nan", LakeType.Float64),
        LakeType.Float64,
        Transform.Identity -> Some("nan"),
      )
    )
    assert(
      !mayMatch(
        at(Equal, "1.0", LakeType.Float32),
        LakeType.Float32,
        Transform.Identity -> Some("nan"),
      )
    )
    assert(
      mayMatch(
        at(Greater, "0.1", LakeType.Float64),
        LakeType.Float64,
        Transform.Identity -> Some("0.1"),
      ),
      "a FLOAT of 0.1 is more as a DOUBLE",
    )
    assert(
      mayMatch(
        at(Equal, "1", LakeType.Int128),
        LakeType.Int128,
        Transform.Identity -> Some("2"),
      ),
      "files hold the nearest DOUBLE",
    )
    assert(
      !mayMatch(at(Less, "-5", LakeType.Int64), LakeType.Int64, Transform.Identity -> Some("-5"))
    )
  }

  test("values of another spec, or absent ones, say nothing") {
    val spec = PartitionSpec(PartitionId(7), Vector(PartitionKey(0, column, Transform.Identity)))
    val p = Compare(column, Equal, text("x"))
    def answer(values: FilePartition) =
      PartitionPruning.mayMatch(p, spec, values, _ => Some(LakeType.Varchar))

    assert(answer(FilePartition(PartitionId(6), Map(0 -> Some("y")))))
    assert(answer(FilePartition(PartitionId(7), Map.empty)))
    assert(!answer(FilePartition(PartitionId(7), Map(0 -> Some("y")))))
    assert(
      PartitionPruning.mayMatch(
        p,
        spec,
        FilePartition(PartitionId(7), Map(0 -> Some("y"))),
        _ => None,
      )
    )
  }

  test("a year is a stretch of time, a month alone is not") {
    val year = Transform.Year -> Some("2024")
    val march = Transform.Month -> Some("3")

    assert(!mayMatch(at(Less, "2024-01-01", LakeType.Date), LakeType.Date, year))
    assert(mayMatch(at(LessOrEqual, "2024-01-01", LakeType.Date), LakeType.Date, year))
    assert(
      !mayMatch(
        at(Greater, "2024-12-31 23:59:59.999999", LakeType.Timestamp),
        LakeType.Timestamp,
        year,
      )
    )
    assert(
      mayMatch(
        at(GreaterOrEqual, "2024-12-31 23:59:59.999999", LakeType.Timestamp),
        LakeType.Timestamp,
        year,
      )
    )
    assert(mayMatch(at(Less, "1999-01-01", LakeType.Date), LakeType.Date, march))
    assert(!mayMatch(at(Equal, "1999-01-01", LakeType.Date), LakeType.Date, march))
    assert(mayMatch(at(Equal, "1999-03-01", LakeType.Date), LakeType.Date, march))
    assert(!mayMatch(at(Less, "2024-03-01", LakeType.Date), LakeType.Date, year, march))
    assert(!mayMatch(at(Greater, "2024-03-31", LakeType.Date), LakeType.Date, march, year))
    assert(
      mayMatch(
        at(Equal, "0044-03-15 (BC)", LakeType.Date),
        LakeType.Date,
        Transform.Year -> Some("-43"),
      )
    )
  }

  test("hours of a day") {
    val keys = Vector(
      Transform.Year -> Some("2024"),
      Transform.Month -> Some("2"),
      Transform.Day -> Some("29"),
      Transform.Hour -> Some("23"),
    )
    def answer(operator: Comparison, value: String) =
      mayMatch(at(operator, value, LakeType.TimestampMs), LakeType.TimestampMs, keys*)

    assert(answer(Equal, "2024-02-29 23:59:59.999"))
    assert(!answer(Equal, "2024-02-29 22:59:59.999"))
    assert(!answer(GreaterOrEqual, "2024-03-01 00:00:00"))
    assert(!answer(Less, "2024-02-29 23:00:00"))
  }

  test("a calendar part that is NULL holds NULL and infinities") {
    val missing = Transform.Year -> None

    assert(mayMatch(at(Equal, "infinity", LakeType.Date), LakeType.Date, missing))
    assert(mayMatch(IsNull(column), LakeType.Date, missing))
    assert(!mayMatch(IsNull(column), LakeType.Date, Transform.Year -> Some("2024")))
    assert(
      !mayMatch(at(Equal, "infinity", LakeType.Date), LakeType.Date, Transform.Year -> Some("2024"))
    )
  }

  test("calendar parts of a timestamptz depend on a session and are not used") {
    val p = at(Equal, "1999-01-01 00:00:00+00", LakeType.TimestampTz)

    assert(mayMatch(p, LakeType.TimestampTz, Transform.Year -> Some("2024")))
  }

  test("buckets serve equality only, under every type the column may have had") {
    val third = Transform.Bucket(16) -> Some("3")
    val thirtyFour = at(Equal, "34", LakeType.Int64)

    assert(mayMatch(thirtyFour, LakeType.Int64, third))
    assert(mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> Some("9")))
    assert(!mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> Some("4")))
    assert(mayMatch(at(Less, "0", LakeType.Int64), LakeType.Int64, third))
    assert(mayMatch(Not(thirtyFour), LakeType.Int64, third))
    assert(!mayMatch(IsNull(column), LakeType.Int64, third))
    assert(!mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> None))
    assert(!mayMatch(In(column, Vector(text("iceberg"))), LakeType.Varchar, third))
  }
}
