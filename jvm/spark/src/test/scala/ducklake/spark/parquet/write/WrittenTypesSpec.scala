package ducklake.spark.parquet.write

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.bound.BoundText
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import ducklake.spark.types.SparkTypes
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Path
import java.time.LocalDate
import java.time.LocalDateTime

/** What DuckDB reads in files of ours. */
final class WrittenTypesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val duckDb = new DuckDbFiles

  override protected def afterAll(): Unit = duckDb.close()

  /** One column's values, as DuckDB reads them in a file of ours, cast to its own type. */
  private def write(lakeType: LakeType.Primitive, duckDbType: String)(values: Any*): Written = {
    val rows = new WrittenRows(Vector(column(7, "c", lakeType)))
    val file = rows.write(values.map(Seq(_))*).head
    val path = rows.path(file)
    val read = duckDb.texts(s"SELECT c::$duckDbType::VARCHAR FROM '$path'")
    Written(read, file.statistics(ColumnId(7)), path)
  }

  private def bounds(written: Written, lakeType: LakeType.Primitive): (String, String) = {
    val statistics = written.statistics
    val (min, max) = BoundText.of(statistics.min, statistics.max, lakeType)
    (min.getOrElse("?"), max.getOrElse("?"))
  }

  private def schema(file: Path): String =
    duckDb
      .texts(
        "SELECT concat_ws(' ', name, type, type_length, converted_type, field_id) " +
          s"FROM parquet_schema('$file') WHERE name = 'c'"
      )
      .head

  private def refusal(lakeType: LakeType.Primitive, value: Any): LakeError =
    intercept[LakeException](write(lakeType, "VARCHAR")(value)).error

  test("unsigned integers") {
    val small = write(LakeType.UInt8, "UTINYINT")(0.toShort, 255.toShort, null)
    assert(small.values == Vector("0", "255", "NULL"))
    assert(bounds(small, LakeType.UInt8) == (("0", "255")))
    assert(schema(small.path) == "c INT32 UINT_8 7")

    val middle = write(LakeType.UInt32, "UINTEGER")(4294967295L, 1L)
    assert(middle.values == Vector("4294967295", "1"))
    assert(bounds(middle, LakeType.UInt32) == (("1", "4294967295")))

    val large = write(LakeType.UInt64, "UBIGINT")(BigDecimal("18446744073709551615"), BigDecimal(1))
    assert(large.values == Vector("18446744073709551615", "1"))
    assert(bounds(large, LakeType.UInt64) == (("1", "18446744073709551615")))
    assert(schema(large.path) == "c INT64 UINT_64 7")
  }

  test("unsigned integers out of range are refused") {
    val invalid = classOf[LakeError.InvalidValue]
    assert(invalid.isInstance(refusal(LakeType.UInt8, 256.toShort)))
    assert(invalid.isInstance(refusal(LakeType.UInt16, -1)))
    assert(invalid.isInstance(refusal(LakeType.UInt32, 4294967296L)))
    assert(invalid.isInstance(refusal(LakeType.UInt64, BigDecimal(-1))))
    assert(invalid.isInstance(refusal(LakeType.UInt128, BigDecimal(-1))))
  }

  test("integers of 128 bits keep all digits") {
    val digits = "12345678901234567890123456789012345678"
    assert(
      write(LakeType.Int128, "HUGEINT")(BigDecimal("-" + digits)).values == Vector("-" + digits)
    )
    assert(write(LakeType.UInt128, "UHUGEINT")(BigDecimal(digits)).values == Vector(digits))
  }

  test("decimals of each width") {
    val narrow = write(LakeType.Decimal(9, 2), "DECIMAL(9,2)")(BigDecimal("-1.50"), BigDecimal("2"))
    assert(narrow.values == Vector("-1.50", "2.00"))
    assert(bounds(narrow, LakeType.Decimal(9, 2)) == (("-1.50", "2.00")))
    val wide = write(LakeType.Decimal(25, 3), "DECIMAL(25,3)")(BigDecimal("-3.25"), BigDecimal("7"))
    assert(wide.values == Vector("-3.250", "7.000"))
    assert(bounds(wide, LakeType.Decimal(25, 3)) == (("-3.250", "7.000")))
  }

  test("floats: the zeros are in order, NaN hides the maximum and is recorded") {
    val plain = write(LakeType.Float64, "DOUBLE")(-0.0, 0.0)
    assert(plain.values == Vector("-0.0", "0.0"))
    assert(bounds(plain, LakeType.Float64) == (("-0.0", "0.0")))
    assert(plain.statistics.containsNan.contains(false))

    val odd = write(LakeType.Float32, "FLOAT")(1.5f, Float.NaN, -3f, null)
    assert(odd.values == Vector("1.5", "nan", "-3.0", "NULL"))
    assert(bounds(odd, LakeType.Float32) == (("-3.0", "?")))
    assert(odd.statistics.containsNan.contains(true))
    assert(odd.statistics.valueCount.contains(3L) && odd.statistics.nullCount.contains(1L))

    val none = write(LakeType.Float64, "DOUBLE")(Double.NaN)
    assert(bounds(none, LakeType.Float64) == (("?", "?")))
  }

  test("texts that are checked") {
    val uuid = write(LakeType.Uuid, "UUID")("F0000000-0000-0000-0000-00000000000A", null)
    assert(uuid.values == Vector("f0000000-0000-0000-0000-00000000000a", "NULL"))
    assert(schema(uuid.path) == "c FIXED_LEN_BYTE_ARRAY 16 7")
    assert(
      write(LakeType.Json, "JSON")("""{"a":[1,null]}""").values == Vector("""{"a":[1,null]}""")
    )
    assert(write(LakeType.Time, "TIME")("12:00:00.5").values == Vector("12:00:00.5"))
    assert(write(LakeType.TimeTz, "TIMETZ")("12:00:00+02").values == Vector("10:00:00+00"))

    assert(refusal(LakeType.Uuid, "x").message.contains("`c`"))
    assert(refusal(LakeType.Json, "{} {}").condition == "DUCKLAKE_INVALID_VALUE")
    assert(refusal(LakeType.Json, "").condition == "DUCKLAKE_INVALID_VALUE")
    assert(refusal(LakeType.Time, "noon").condition == "DUCKLAKE_INVALID_VALUE")
  }

  test("times of a session that has the type") {
    val rows =
      new WrittenRows(Vector(column(7, "c", LakeType.Time)), rule = SparkTypes.TimeRule.AsTime)
    val file = rows.write(Seq(43200000500000L), Seq(null)).head

    assert(
      duckDb.texts(s"SELECT c::VARCHAR FROM '${rows.path(file)}'") == Vector(
        "12:00:00.0005",
        "NULL",
      )
    )
    assert(file.statistics(ColumnId(7)).min.contains(Literal.Time(43200000500L)))
  }

  test("the smallest values of Spark, which DuckDB has not, are refused") {
    assert(
      refusal(LakeType.Date, LocalDate.ofEpochDay(Int.MinValue.toLong)).message.contains("infinity")
    )
  }

  private val times =
    Seq(LakeType.Timestamp, LakeType.TimestampTz, LakeType.TimestampS, LakeType.TimestampMs)

  private def isRefused(
      lakeType: LakeType.Primitive,
      micros: Long,
      withoutBounds: ColumnId*
  ): Boolean = {
    val rows =
      new WrittenRows(Vector(column(7, "c", lakeType)), withoutBounds = withoutBounds.toSet)
    try rows.writeInternal(micros).isEmpty
    catch { case refusal: LakeException => refusal.error.condition == "DUCKLAKE_INVALID_VALUE" }
  }

  test("the smallest timestamp is refused in columns of every unit, with bounds or without") {
    times.foreach { lakeType =>
      assert(isRefused(lakeType, Long.MinValue), lakeType)
      assert(isRefused(lakeType, Long.MinValue, ColumnId(7)), lakeType)
      assert(!isRefused(lakeType, -Long.MaxValue, ColumnId(7)), lakeType)
    }
  }

  test("timestamps that a coarser unit rounds out of DuckDB's range are refused") {
    val last = LocalDateTime.of(294247, 1, 10, 4, 0, 54)
    val millis = write(LakeType.TimestampMs, "TIMESTAMP_MS")(last.withNano(775499000))
    assert(millis.values == Vector("294247-01-10 04:00:54.775"))
    assert(refusal(LakeType.TimestampMs, last.withNano(775500000)).message.contains("range"))
    val seconds = write(LakeType.TimestampS, "TIMESTAMP_S")(last.withNano(499999000))
    assert(seconds.values == Vector("294247-01-10 04:00:54"))
    assert(refusal(LakeType.TimestampS, last.withNano(500000000)).message.contains("range"))
  }

  test("intervals in the spelling of either engine") {
    val written = write(LakeType.Interval, "INTERVAL")(
      "1 year 2 months 3 days 04:05:06.789",
      "INTERVAL '1-2' YEAR TO MONTH",
      "INTERVAL '3 04:05:06' DAY TO SECOND",
    )

    assert(
      written.values == Vector(
        "1 year 2 months 3 days 04:05:06.789",
        "1 year 2 months",
        "3 days 04:05:06",
      )
    )
    assert(refusal(LakeType.Interval, "-1 month").condition == "DUCKLAKE_INVALID_VALUE")
  }

  test("timestamps of each unit are rounded as DuckDB casts them") {
    val half = LocalDateTime.of(2020, 1, 1, 0, 0, 0, 500500000)
    val seconds = write(LakeType.TimestampS, "TIMESTAMP_S")(half)
    assert(seconds.values == Vector("2020-01-01 00:00:01"))
    assert(bounds(seconds, LakeType.TimestampS)._1 == "2020-01-01 00:00:01")
    val millis = write(LakeType.TimestampMs, "TIMESTAMP_MS")(half)
    assert(millis.values == Vector("2020-01-01 00:00:00.501"))
    assert(bounds(millis, LakeType.TimestampMs)._1 == "2020-01-01 00:00:00.501")
    val nanos = write(LakeType.TimestampNs, "TIMESTAMP_NS")(half)
    assert(nanos.values == Vector("2020-01-01 00:00:00.5005"))
    assert(bounds(nanos, LakeType.TimestampNs)._1 == "2020-01-01 00:00:00.5005")
    assert(
      refusal(LakeType.TimestampNs, LocalDateTime.of(3000, 1, 1, 0, 0)).condition ==
        "DUCKLAKE_INVALID_VALUE"
    )
  }

  test("dates of old calendars are those of DuckDB") {
    val written = write(LakeType.Date, "DATE")(LocalDate.of(1500, 3, 1), null)
    assert(written.values == Vector("1500-03-01", "NULL"))
    assert(bounds(written, LakeType.Date) == (("1500-03-01", "1500-03-01")))
  }

  test("a long text has cut bounds and exact counts") {
    val written = write(LakeType.Varchar, "VARCHAR")("a" * 5000, "b", null)
    val (min, max) = bounds(written, LakeType.Varchar)
    assert(min == "a" * 256 && max == "b")
    assert(written.statistics.nullCount.contains(1L) && written.statistics.valueCount.contains(2L))
  }
}

private[write] final case class Written(
    values: Vector[String],
    statistics: ColumnStatistics,
    path: Path,
)
