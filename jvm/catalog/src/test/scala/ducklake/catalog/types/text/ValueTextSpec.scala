package ducklake.catalog.types.text

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

import scala.collection.immutable.ArraySeq

/** The texts were recorded from DuckDB 1.5.5 and its catalogs. */
class ValueTextSpec extends AnyFunSuite {
  private val nanos = 1577836800123456789L
  private def bytes(values: Int*): ArraySeq[Byte] = ArraySeq.from(values.map(_.toByte))

  private def dec(text: String): Literal = Literal.Dec(new java.math.BigDecimal(text))

  private val huge = (BigInt(1) << 127) - 1
  private val maxMicros = 9223372036854775806L

  private val bothWays: Vector[(LakeType.Primitive, String, Literal)] = Vector(
    (LakeType.Bool, "true", Literal.Bool(value = true)),
    (LakeType.Int8, "-128", Literal.Integral(-128)),
    (LakeType.Int64, "-9223372036854775808", Literal.Integral(Long.MinValue)),
    (LakeType.UInt32, "4294967295", Literal.Integral(4294967295L)),
    (LakeType.UInt64, "18446744073709551615", Literal.BigIntegral((BigInt(1) << 64) - 1)),
    (LakeType.Int128, "170141183460469231731687303715884105727", Literal.BigIntegral(huge)),
    (LakeType.Int128, "-170141183460469231731687303715884105728", Literal.BigIntegral(-huge - 1)),
    (
      LakeType.UInt128,
      "340282366920938463463374607431768211455",
      Literal.BigIntegral(huge * 2 + 1),
    ),
    (LakeType.Float64, "nan", Literal.Floating(Double.NaN)),
    (LakeType.Float64, "inf", Literal.Floating(Double.PositiveInfinity)),
    (LakeType.Float64, "-inf", Literal.Floating(Double.NegativeInfinity)),
    (LakeType.Float64, "-0.0", Literal.Floating(-0.0)),
    (LakeType.Float64, "0.1", Literal.Floating(0.1)),
    (LakeType.Float64, "1.7976931348623157e+308", Literal.Floating(Double.MaxValue)),
    (LakeType.Float64, "5e-324", Literal.Floating(java.lang.Double.MIN_VALUE)),
    (LakeType.Float64, "2.2250738585072014e-308", Literal.Floating(java.lang.Double.MIN_NORMAL)),
    (LakeType.Float64, "9007199254740992.0", Literal.Floating(9007199254740992.0)),
    (LakeType.Float64, "1000000000000000.0", Literal.Floating(1e15)),
    (LakeType.Float64, "1e+16", Literal.Floating(1e16)),
    (LakeType.Float64, "1.2345678901234568e+17", Literal.Floating(123456789012345678.0)),
    (LakeType.Float64, "0.0001", Literal.Floating(1e-4)),
    (LakeType.Float64, "-1e-07", Literal.Floating(-1e-7)),
    (LakeType.Float64, "1e+300", Literal.Floating(1e300)),
    (LakeType.Float32, "0.1", Literal.Floating(0.1f.toDouble)),
    (LakeType.Float32, "3.4028235e+38", Literal.Floating(Float.MaxValue.toDouble)),
    (LakeType.Float32, "1e-45", Literal.Floating(java.lang.Float.MIN_VALUE.toDouble)),
    (LakeType.Float32, "16777216.0", Literal.Floating(16777216.0)),
    (LakeType.Float32, "9007199000000000.0", Literal.Floating(9007199254740993L.toFloat.toDouble)),
    (LakeType.Decimal(5, 2), "-0.50", dec("-0.50")),
    (LakeType.Decimal(4, 4), ".9999", dec("0.9999")),
    (LakeType.Decimal(4, 4), "-.0001", dec("-0.0001")),
    (LakeType.Decimal(38, 0), "99999999999999999999999999999999999999", dec("9" * 38)),
    (LakeType.Date, "1970-01-01", Literal.Date(0)),
    (LakeType.Date, "0001-01-01", Literal.Date(-719162)),
    (LakeType.Date, "0001-12-31 (BC)", Literal.Date(-719163)),
    (LakeType.Date, "0044-03-15 (BC)", Literal.Date(-735160)),
    (LakeType.Date, "25000-06-15", Literal.Date(8411700)),
    (LakeType.Date, "5881580-07-10", Literal.Date(2147483646)),
    (LakeType.Date, "5877642-06-25 (BC)", Literal.Date(-2147483646)),
    (LakeType.Date, "infinity", Literal.Date(Int.MaxValue)),
    (LakeType.Date, "-infinity", Literal.Date(-Int.MaxValue)),
    (LakeType.Time, "00:00:00", Literal.Time(0)),
    (LakeType.Time, "12:34:56.7", Literal.Time(45296700000L)),
    (LakeType.Time, "24:00:00", Literal.Time(86400000000L)),
    (LakeType.TimeNs, "01:02:03.123456789", Literal.Time(3723123456789L)),
    (LakeType.TimeTz, "12:30:00+05:30", Literal.TimeTz(45000000000L, 19800)),
    (LakeType.TimeTz, "01:02:03.5-08", Literal.TimeTz(3723500000L, -28800)),
    (LakeType.TimeTz, "12:30:00-15:59:59", Literal.TimeTz(45000000000L, -57599)),
    (LakeType.Timestamp, "1969-12-31 23:59:59.999999", Literal.Timestamp(-1)),
    (LakeType.Timestamp, "0044-03-15 (BC) 12:00:00", Literal.Timestamp(-63517780800000000L)),
    (LakeType.Timestamp, "294247-01-10 04:00:54.775806", Literal.Timestamp(maxMicros)),
    (LakeType.Timestamp, "infinity", Literal.Timestamp(Long.MaxValue)),
    (LakeType.Timestamp, "-infinity", Literal.Timestamp(-Long.MaxValue)),
    (LakeType.TimestampS, "2024-02-29 23:59:59", Literal.Timestamp(1709251199L)),
    (LakeType.TimestampMs, "2024-02-29 23:59:59.999", Literal.Timestamp(1709251199999L)),
    (LakeType.TimestampNs, "2262-04-11 23:47:16.854775806", Literal.Timestamp(maxMicros)),
    (LakeType.TimestampTz, "2024-02-29 18:29:59.999999+00", Literal.Timestamp(1709231399999999L)),
    (LakeType.TimestampTz, "infinity", Literal.Timestamp(Long.MaxValue)),
    (LakeType.TimestampTzNs, "1969-12-31 23:59:59.999999999+00", Literal.Timestamp(-1)),
    (LakeType.TimestampTzNs, "2020-01-01 00:00:00.123456789+00", Literal.Timestamp(nanos)),
    (LakeType.TimestampTzNs, "-infinity", Literal.Timestamp(-Long.MaxValue)),
    (LakeType.Interval, "00:00:00", Literal.Interval(0, 0, 0)),
    (
      LakeType.Interval,
      "1 year 2 months 3 days 04:05:06.789",
      Literal.Interval(14, 3, 14706789000L),
    ),
    (LakeType.Interval, "25:00:00.000001", Literal.Interval(0, 0, 90000000001L)),
    (LakeType.Interval, "178956970 years 7 months", Literal.Interval(Int.MaxValue, 0, 0)),
    (LakeType.Interval, "-178956970 years -8 months", Literal.Interval(Int.MinValue, 0, 0)),
    (LakeType.Interval, "-1 year -2 months", Literal.Interval(-14, 0, 0)),
    (LakeType.Interval, "1 day -01:00:00", Literal.Interval(0, 1, -3600000000L)),
    (LakeType.Interval, "-2562047788:00:54.775807", Literal.Interval(0, 0, -Long.MaxValue)),
    (LakeType.Interval, "1 month", Literal.Interval(1, 0, 0)),
    (LakeType.Varchar, " NULL ", Literal.Text(" NULL ")),
    (LakeType.Json, "[ 1 , 2 ]", Literal.Text("[ 1 , 2 ]")),
    (LakeType.Blob, "\\x00\\xFFab\\x27", Literal.Bytes(bytes(0, 255, 97, 98, 39))),
    (
      LakeType.Uuid,
      "80000000-0000-0000-0000-000000000001",
      Literal.Uuid(UUID.fromString("80000000-0000-0000-0000-000000000001")),
    ),
  )

  test("a value of each type is read from DuckDB's cast text and written as it") {
    for ((lakeType, text, literal) <- bothWays) {
      val parsed = ValueText.parseCast(text, lakeType)
      assert(
        parsed.contains(literal) || parsed.exists(LiteralOrder.isNan),
        s"$lakeType $text $parsed",
      )
      assert(ValueText.print(literal, lakeType).contains(text), s"$lakeType $literal")
    }
  }

  test("other spellings that DuckDB's casts accept are accepted") {
    val accepted: Vector[(LakeType.Primitive, String, Literal)] = Vector(
      (LakeType.Bool, "0", Literal.Bool(value = false)),
      (LakeType.Bool, "YES", Literal.Bool(value = true)),
      (LakeType.Int32, "2.5", Literal.Integral(3)),
      (LakeType.Int32, "-2.5", Literal.Integral(-3)),
      (LakeType.Int32, " +1e3 ", Literal.Integral(1000)),
      (LakeType.Decimal(5, 2), "-1.255", dec("-1.26")),
      (LakeType.Decimal(5, 2), "1e2", dec("100.00")),
      (LakeType.Float64, "+Infinity", Literal.Floating(Double.PositiveInfinity)),
      (LakeType.Float64, " 1. ", Literal.Floating(1.0)),
      (LakeType.Float64, "-.5", Literal.Floating(-0.5)),
      (LakeType.Float64, "-12", Literal.Floating(-12.0)),
      (LakeType.Date, "2024/1/5", Literal.Date(19727)),
      (LakeType.Date, "-0043-03-15", Literal.Date(-735160)),
      (LakeType.Date, "2024-01-05 12:00:00", Literal.Date(19727)),
      (LakeType.Timestamp, "2024-01-01T01:02", Literal.Timestamp(1704070920000000L)),
      (LakeType.Timestamp, "2024-01-01 00:00:00+05", Literal.Timestamp(1704067200000000L)),
      (LakeType.Timestamp, "2024-01-01 00:00:00.1234567", Literal.Timestamp(1704067200123456L)),
      (LakeType.TimestampS, "2024-01-01 00:00:00.5", Literal.Timestamp(1704067201L)),
      (LakeType.TimestampS, "2024-01-01 00:00:00.4999999", Literal.Timestamp(1704067200L)),
      (LakeType.TimestampS, "1960-01-01 00:00:00.5", Literal.Timestamp(-315619200L)),
      (LakeType.TimestampMs, "2024-01-01 23:59:59.9996", Literal.Timestamp(1704153600000L)),
      (LakeType.TimestampMs, "1960-01-01 00:00:00.4995", Literal.Timestamp(-315619199501L)),
      (LakeType.TimestampMs, "infinity", Literal.Timestamp(Long.MaxValue)),
      (LakeType.TimestampTz, "2024-01-01 00:00:00+05:30:15", Literal.Timestamp(1704047385000000L)),
      (LakeType.TimestampTz, "2024-01-01 00:00:00+0530", Literal.Timestamp(1704047400000000L)),
      (LakeType.TimestampTz, "2024-01-01 00:00:00Z", Literal.Timestamp(1704067200000000L)),
      (LakeType.TimestampTz, "2024-01-01 00:00:00 UTC", Literal.Timestamp(1704067200000000L)),
      (LakeType.TimestampTz, "2024-01-01 00:00:00", Literal.Timestamp(1704067200000000L)),
      (LakeType.TimeTz, "12:30", Literal.TimeTz(45000000000L, 0)),
      (
        LakeType.Interval,
        "1 year 2 mons -3 days -04:05:06.789",
        Literal.Interval(14, -3, -14706789000L),
      ),
      (LakeType.Interval, "3 weeks", Literal.Interval(0, 21, 0)),
      (LakeType.Blob, "a\\x41", Literal.Bytes(bytes(97, 65))),
      (
        LakeType.Uuid,
        "{550E8400e29b41d4a716446655440000}",
        Literal.Uuid(UUID.fromString("550e8400-e29b-41d4-a716-446655440000")),
      ),
    )

    for ((lakeType, text, literal) <- accepted) {
      assert(ValueText.parseCast(text, lakeType).contains(literal), s"$lakeType $text")
    }
  }

  test("a text that is no value of the type is none") {
    val refused: Vector[(LakeType.Primitive, String)] = Vector(
      LakeType.Bool -> "2",
      LakeType.Int8 -> "128",
      LakeType.UInt8 -> "-1",
      LakeType.Int32 -> "",
      LakeType.Int32 -> "true",
      LakeType.Int32 -> "1e1000000000",
      LakeType.Decimal(3, 2) -> "10",
      LakeType.Float64 -> "1.0x",
      LakeType.Float64 -> "1.2.3",
      LakeType.Float64 -> "-",
      LakeType.Float64 -> ".",
      LakeType.Float64 -> "",
      LakeType.Float64 -> "--1",
      LakeType.Float32 -> "1f",
      LakeType.Date -> "2023-02-29",
      LakeType.Time -> "24:00:01",
      LakeType.Timestamp -> "295000-01-01 00:00:00",
      LakeType.TimestampNs -> "1600-01-01 00:00:00",
      LakeType.Interval -> "P1Y",
      LakeType.Interval -> "",
      LakeType.Blob -> "\\x4",
      LakeType.Blob -> "é",
      LakeType.Uuid -> "550e8400",
      LakeType.Unknown("x") -> "1",
    )

    for ((lakeType, text) <- refused) {
      assert(ValueText.parseCast(text, lakeType).isEmpty, s"$lakeType $text")
    }
  }

  test("statistics have bytes in hex and nothing that had to be rounded") {
    assert(ValueText.parseStatistic("00FF", LakeType.Blob).contains(Literal.Bytes(bytes(0, 255))))
    assert(ValueText.parseStatistic("\\x00", LakeType.Blob).isEmpty)
    assert(ValueText.parseStatistic("0", LakeType.Bool).contains(Literal.Bool(value = false)))
    assert(ValueText.parseStatistic("false", LakeType.Int32).isEmpty)
    assert(ValueText.parseStatistic("1.5", LakeType.Int32).isEmpty)
    assert(ValueText.parseStatistic("12.34", LakeType.Decimal(10, 4)).contains(dec("12.3400")))
    assert(ValueText.parseStatistic("12.345", LakeType.Decimal(10, 2)).isEmpty)
    val finer = "2024-01-01 00:00:00.7001"
    assert(ValueText.parseStatistic(finer, LakeType.TimestampS).isEmpty)
    assert(ValueText.parseStatistic(finer, LakeType.TimestampMs).isEmpty)
    assert(ValueText.parseStatistic(finer, LakeType.Timestamp).nonEmpty)
    assert(ValueText.parseStatistic(s"${finer}000000", LakeType.Timestamp).nonEmpty)
  }
}
