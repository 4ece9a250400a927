package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

/** The texts were recorded from `ducklake_file_partition_value` of DuckDB 1.5.5. */
class TransformValueSpec extends AnyFunSuite {
  import Transform.*

  private def text(transform: Transform, value: String, lakeType: LakeType.Primitive) =
    TransformValue.text(
      transform,
      ValueText.parseCast(value, lakeType).getOrElse(fail(value)),
      lakeType,
    )

  test("transforms are read and written") {
    val texts = Vector(
      "identity",
      "year",
      "month",
      "day",
      "hour",
      "epoch_year",
      "epoch_month",
      "epoch_day",
      "epoch_hour",
      "bucket(4)",
      "bucket(2147483647)",
    )

    for (text <- texts) assert(TransformText.parse(text).map(TransformText.print).contains(text))
    assert(TransformText.parse("BUCKET( 16 )").contains(Bucket(16)))
    for (
      text <- Vector(
        "epoch_week",
        "epoch_",
        "epoch_bucket(4)",
        "bucket(0)",
        "bucket(2147483648)",
        "bucket",
        "truncate(4)",
        "",
      )
    )
      assert(TransformText.parse(text).isEmpty, text)
  }

  test("identity is the text of a cast") {
    val recorded: Vector[(LakeType.Primitive, String)] = Vector(
      LakeType.Int8 -> "5",
      LakeType.UInt64 -> "18446744073709551615",
      LakeType.Bool -> "true",
      LakeType.Float32 -> "0.1",
      LakeType.Float64 -> "1e+300",
      LakeType.Decimal(5, 2) -> "0.50",
      LakeType.Decimal(4, 4) -> ".5000",
      LakeType.Date -> "1969-12-31",
      LakeType.Timestamp -> "2024-03-15 13:45:00.5",
      LakeType.TimestampTz -> "2024-03-15 13:45:00.5+00",
      LakeType.TimestampNs -> "2024-03-15 13:45:00.000000001",
      LakeType.Time -> "12:00:00.25",
      LakeType.TimeTz -> "12:00:00+05:30",
      LakeType.Interval -> "1 day",
      LakeType.Varchar -> "a/b 'é",
      LakeType.Blob -> "ab",
      LakeType.Int128 -> "-5",
    )

    for ((lakeType, value) <- recorded)
      assert(text(Identity, value, lakeType) == Right(Some(value)), s"$lakeType")
  }

  test("calendar transforms give the part alone") {
    val moment = "2024-03-15 13:45:00.5"

    for (lakeType <- Vector(LakeType.Timestamp, LakeType.TimestampTz, LakeType.TimestampNs)) {
      assert(text(Year, moment, lakeType) == Right(Some("2024")))
      assert(text(Month, moment, lakeType) == Right(Some("3")))
      assert(text(Day, moment, lakeType) == Right(Some("15")))
      assert(text(Hour, moment, lakeType) == Right(Some("13")))
    }
    assert(text(Hour, "2024-03-15", LakeType.Date) == Right(Some("0")))
    assert(text(Hour, "12:00:00.25", LakeType.Time) == Right(Some("12")))
    assert(text(Hour, "12:00:00+05:30", LakeType.TimeTz) == Right(Some("12")))
    assert(text(Year, "1969-12-31 23:59:59.5", LakeType.Timestamp) == Right(Some("1969")))
    assert(text(Year, "0044-03-15 (BC)", LakeType.Date) == Right(Some("-43")))
    assert(text(Year, "infinity", LakeType.Date) == Right(None))
  }

  test("NULL stays NULL under every transform") {
    for (transform <- Vector(Identity, Year, Hour, Bucket(4)))
      assert(TransformValue.text(transform, Literal.Null, LakeType.Date) == Right(None))
  }

  test("a transform that does not go with the type is refused") {
    assert(text(Year, "5", LakeType.Int32).isLeft)
    assert(text(Day, "12:00:00", LakeType.Time).isLeft)
    assert(TransformValue.text(Identity, Literal.Null, LakeType.Variant).isLeft)
  }
}
