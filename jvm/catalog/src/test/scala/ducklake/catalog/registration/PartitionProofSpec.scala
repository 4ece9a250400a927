package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

final class PartitionProofSpec extends AnyFunSuite {

  private def known(
      lakeType: LakeType.Primitive,
      min: String,
      max: String,
      nulls: Long = 0,
  ): ColumnStatistics = {
    def literal(text: String): Option[Literal] = ValueText.parseCast(text, lakeType)
    val nan = Option.when(lakeType == LakeType.Float64)(false)
    ColumnStatistics(literal(min), literal(max), Some(10L - nulls), Some(nulls), nan, Some(10L))
  }

  private def value(
      lakeType: LakeType.Primitive,
      transform: Transform,
      stated: Option[Option[String]],
      statistics: Option[ColumnStatistics],
  ): Either[PartitionProblem, Option[String]] =
    PartitionProof.value(PartitionKeyFacts("c", lakeType, transform, stated, statistics))

  private def proven(
      lakeType: LakeType.Primitive,
      transform: Transform,
      min: String,
      max: String,
  ): Option[Option[String]] =
    value(lakeType, transform, None, Some(known(lakeType, min, max))).toOption

  test("the path states the value, which is stored as DuckDB stores it") {
    assert(
      value(LakeType.Int32, Transform.Identity, Some(Some("007")), None) == Right(Some("7"))
    )
    assert(value(LakeType.Varchar, Transform.Identity, Some(Some("")), None) == Right(Some("")))
    assert(value(LakeType.Varchar, Transform.Identity, Some(None), None) == Right(None))
    assert(value(LakeType.Date, Transform.Month, Some(Some("02")), None) == Right(Some("2")))
  }

  test("an ordinal in the path is held against the bounds of the file") {
    val day = Transform.Epoch(Transform.Day)
    val known = this.known(LakeType.Date, "2024-02-10", "2024-02-10")

    assert(value(LakeType.Date, day, Some(Some("019763")), Some(known)) == Right(Some("19763")))
    assert(value(LakeType.Date, day, Some(Some("-1")), None) == Right(Some("-1")))
    assert(
      value(LakeType.Date, day, Some(Some("19764")), Some(known)).left
        .exists(_.isInstanceOf[PartitionProblem.Contradicted])
    )
    assert(
      value(LakeType.Date, day, Some(Some("x")), None).left
        .exists(_.isInstanceOf[PartitionProblem.NotAValue])
    )
  }

  test("bounds in one period prove an ordinal") {
    val month = Transform.Epoch(Transform.Month)

    assert(proven(LakeType.Date, month, "2024-02-01", "2024-02-29").contains(Some("649")))
    assert(proven(LakeType.Date, month, "2024-01-31", "2024-02-29").isEmpty)
    assert(proven(LakeType.Date, month, "2024-02-01", "2025-02-01").isEmpty)
    assert(proven(LakeType.Date, month, "2024-02-01", "infinity").isEmpty)
    assert(
      proven(
        LakeType.TimestampTz,
        Transform.Epoch(Transform.Hour),
        "1969-12-31 23:00:00+00",
        "1969-12-31 23:59:59+00",
      ).contains(Some("-1"))
    )
  }

  test("a text in the path that is no value of the key is refused") {
    val outside = Vector(
      (LakeType.Int32, Transform.Identity, "abc"),
      (LakeType.Int32, Transform.Bucket(4), "4"),
      (LakeType.Date, Transform.Month, "13"),
      (LakeType.Date, Transform.Year, "abc"),
    )

    outside.foreach { case (lakeType, transform, text) =>
      val found = value(lakeType, transform, Some(Some(text)), None)
      assert(found.left.exists(_.isInstanceOf[PartitionProblem.NotAValue]), text)
    }
  }

  test("statistics that contradict the path are refused") {
    val stated = Some(Some("2020"))
    val wide = known(LakeType.Date, "2020-03-01", "2021-01-01")
    val right = known(LakeType.Date, "2020-03-01", "2020-12-31")
    val withNull = right.copy(nullCount = Some(1L))

    assert(value(LakeType.Date, Transform.Year, stated, Some(right)) == Right(Some("2020")))
    assert(value(LakeType.Date, Transform.Year, stated, Some(wide)).isLeft)
    assert(value(LakeType.Date, Transform.Year, stated, Some(withNull)).isLeft)
    assert(value(LakeType.Date, Transform.Year, Some(None), Some(right)).isLeft)
  }

  test("a text outside the bounds contradicts the path") {
    val bounds = known(LakeType.Varchar, "b", "d")

    def of(text: String): Either[PartitionProblem, Option[String]] =
      value(LakeType.Varchar, Transform.Identity, Some(Some(text)), Some(bounds))

    assert(of("c") == Right(Some("c")))
    assert(of("a").isLeft)
    assert(of("e").isLeft)
  }

  test("equal bounds prove a value") {
    assert(proven(LakeType.Int32, Transform.Identity, "7", "7").contains(Some("7")))
    assert(proven(LakeType.Int32, Transform.Bucket(4), "7", "7").contains(Some("3")))
    assert(proven(LakeType.Varchar, Transform.Identity, "x", "x").contains(Some("x")))
    assert(proven(LakeType.Int32, Transform.Identity, "7", "8").isEmpty)
    assert(proven(LakeType.Int32, Transform.Bucket(4), "7", "8").isEmpty)
  }

  test("bounds in one period prove a calendar part") {
    val day = "2020-02-02 00:00:00"
    val end = "2020-02-02 23:59:59"

    assert(proven(LakeType.Timestamp, Transform.Year, day, end).contains(Some("2020")))
    assert(proven(LakeType.Timestamp, Transform.Month, day, end).contains(Some("2")))
    assert(proven(LakeType.Timestamp, Transform.Day, day, end).contains(Some("2")))
    assert(proven(LakeType.Timestamp, Transform.Hour, day, end).isEmpty)
    assert(proven(LakeType.Date, Transform.Month, "2019-02-02", "2020-02-02").isEmpty)
    assert(proven(LakeType.Date, Transform.Day, "2020-01-02", "2020-02-02").isEmpty)
  }

  test("a calendar part in the path needs bounds in one period") {
    def of(lakeType: LakeType.Primitive, transform: Transform, min: String, max: String)(
        stated: String
    ): Either[PartitionProblem, Option[String]] =
      value(lakeType, transform, Some(Some(stated)), Some(known(lakeType, min, max)))

    val januaries = of(LakeType.Date, Transform.Month, "2020-01-05", "2021-01-10")("1")
    assert(januaries.left.exists(_.isInstanceOf[PartitionProblem.MayDiffer]))
    assert(of(LakeType.Date, Transform.Month, "2020-01-05", "2020-01-10")("1").isRight)
    assert(of(LakeType.Date, Transform.Day, "2020-01-02", "2020-02-02")("2").isLeft)
    val (noon, nextNoon) = ("2020-01-01 12:00:00", "2020-01-02 12:30:00")
    assert(of(LakeType.Timestamp, Transform.Hour, noon, nextNoon)("12").isLeft)
    assert(of(LakeType.Timestamp, Transform.Hour, noon, "2020-01-01 12:59:00")("12").isRight)
  }

  test("a value is certain when the statistics prove it") {
    val seven = known(LakeType.Int32, "7", "7")

    def certain(
        stated: Option[String],
        statistics: ColumnStatistics,
    ): Either[PartitionProblem, Option[String]] =
      PartitionProof.certain(
        PartitionKeyFacts("c", LakeType.Int32, Transform.Identity, Some(stated), Some(statistics))
      )

    assert(certain(Some("7"), seven) == Right(Some("7")))
    assert(certain(Some("8"), seven).isLeft)
    assert(certain(Some("7"), seven.copy(min = None, max = None)).isLeft)
    assert(certain(Some("7"), seven.copy(nullCount = None)).isLeft)
    assert(certain(None, seven.copy(min = None, max = None)).isLeft)
    val empty = seven.copy(min = None, max = None, valueCount = Some(0L), nullCount = Some(10L))
    assert(certain(None, empty) == Right(None))
  }

  test("NULL, unknown counts and NaN leave a value unproven") {
    val one = known(LakeType.Int32, "7", "7")
    val floats = known(LakeType.Float64, "7", "7")

    def of(
        statistics: ColumnStatistics,
        lakeType: LakeType.Primitive,
    ): Option[Option[String]] =
      value(lakeType, Transform.Identity, None, Some(statistics)).toOption

    assert(of(one.copy(nullCount = Some(1L)), LakeType.Int32).isEmpty)
    assert(of(one.copy(nullCount = None), LakeType.Int32).isEmpty)
    assert(of(floats, LakeType.Float64).contains(Some("7.0")))
    assert(of(floats.copy(containsNan = None), LakeType.Float64).isEmpty)
    assert(
      of(one.copy(valueCount = Some(0L), min = None, max = None), LakeType.Int32) == Some(None)
    )
  }
}
