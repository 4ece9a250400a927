package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.errors.DuckLakeTaskException
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.time.LocalDateTime

class FileTypesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles

  override protected def afterAll(): Unit = files.close()

  /** Values of one column written by DuckDB, read as `wanted`. */
  private def read(values: String, wanted: LakeType): Vector[Any] = {
    val file = files.write("t.parquet", s"SELECT * FROM (VALUES $values) v(c)", "{c: 1}")
    TaskRows
      .of(TaskRows.spec(TaskRows.data(column(1, "c", wanted))), TaskRows.part(file))
      .map(_.head)
  }

  private def decimal(text: String): java.math.BigDecimal = new java.math.BigDecimal(text)

  test("signed integers are read at their extremes") {
    assert(read("((-128)::TINYINT), (127), (NULL)", LakeType.Int8) == Vector[Any](-128, 127, null))
    assert(read("((-32768)::SMALLINT), (NULL)", LakeType.Int16) == Vector[Any](-32768, null))
    assert(read("(2147483647::INT), (NULL)", LakeType.Int32) == Vector[Any](2147483647, null))
    assert(
      read("((-9223372036854775808)::BIGINT)", LakeType.Int64) == Vector(-9223372036854775808L)
    )
  }

  test("unsigned integers take the next type that holds them") {
    assert(read("(255::UTINYINT), (NULL)", LakeType.UInt8) == Vector[Any](255, null))
    assert(read("(65535::USMALLINT), (NULL)", LakeType.UInt16) == Vector[Any](65535, null))
    assert(
      read("(4294967295::UINTEGER), (NULL)", LakeType.UInt32) == Vector[Any](4294967295L, null)
    )
    assert(
      read("(18446744073709551615::UBIGINT), (0), (NULL)", LakeType.UInt64) ==
        Vector(decimal("18446744073709551615"), decimal("0"), null)
    )
  }

  test("huge integers come back from the doubles that DuckDB stores") {
    assert(
      read("(170141183460469231731687303715::HUGEINT), (-5), (NULL)", LakeType.Int128) ==
        Vector(decimal("170141183460469242328350982144"), decimal("-5"), null)
    )
  }

  test("widened integers are converted") {
    assert(read("(5::TINYINT), (NULL)", LakeType.Int64) == Vector[Any](5L, null))
    assert(read("(5::INT), (NULL)", LakeType.Float64) == Vector[Any](5.0, null))
    assert(read("(5::INT)", LakeType.Float32) == Vector(5.0f))
    assert(read("(5::BIGINT)", LakeType.Float64) == Vector(5.0))
    assert(read("(5::INT), (NULL)", LakeType.Decimal(12, 2)) == Vector(decimal("5.00"), null))
    assert(read("(5::BIGINT)", LakeType.Int128) == Vector(decimal("5")))
    assert(read("(4000000000::UINTEGER)", LakeType.Int64) == Vector(4000000000L))
    assert(read("(4000000000::UINTEGER)", LakeType.UInt64) == Vector(decimal("4000000000")))
    assert(read("(200::UTINYINT)", LakeType.Int16) == Vector(200))
    assert(read("(true), (false), (NULL)", LakeType.Int32) == Vector[Any](1, 0, null))
  }

  test("decimals of every width are read and widened") {
    assert(read("(1.50::DECIMAL(4,2))", LakeType.Decimal(4, 2)) == Vector(decimal("1.50")))
    assert(read("(1.50::DECIMAL(4,2))", LakeType.Decimal(10, 4)) == Vector(decimal("1.5000")))
    assert(read("(1.50::DECIMAL(4,2)), (NULL)", LakeType.Float64) == Vector[Any](1.5, null))
    assert(read("(-1.5::DECIMAL(18,2))", LakeType.Decimal(18, 2)) == Vector(decimal("-1.50")))
    val wide = "99999999999999999999999999999999999.999"
    assert(read(s"($wide::DECIMAL(38,3))", LakeType.Decimal(38, 3)) == Vector(decimal(wide)))
  }

  test("floats keep what is not a number") {
    assert(
      read("('inf'::FLOAT), (NULL)", LakeType.Float32) == Vector[Any](Float.PositiveInfinity, null)
    )
    assert(read("(1.5::FLOAT)", LakeType.Float64) == Vector(1.5))
    assert(read("('nan'::DOUBLE)", LakeType.Float64).head.asInstanceOf[Double].isNaN)
  }

  test("times are DuckDB's text") {
    assert(
      read("('12:34:56.7'::TIME), ('24:00:00'), ('00:00:00.000001'), (NULL)", LakeType.Time) ==
        Vector("12:34:56.7", "24:00:00", "00:00:00.000001", null)
    )
    assert(read("('12:34:56+02'::TIMETZ), (NULL)", LakeType.TimeTz) == Vector("10:34:56+00", null))
  }

  test("timestamps of every unit are microseconds") {
    val noon = LocalDateTime.of(2020, 1, 2, 12, 0, 0, 123456000)
    assert(read("('2020-01-02 12:00:00.123456'::TIMESTAMP)", LakeType.Timestamp) == Vector(noon))
    assert(
      read("('2020-01-02 12:00:00.123'::TIMESTAMP_MS), (NULL)", LakeType.TimestampMs) ==
        Vector(LocalDateTime.of(2020, 1, 2, 12, 0, 0, 123000000), null)
    )
    assert(
      read("('2020-01-02 12:00:00'::TIMESTAMP_S)", LakeType.TimestampS) ==
        Vector(LocalDateTime.of(2020, 1, 2, 12, 0))
    )
    assert(
      read("('2020-01-02 12:00:00.123456789'::TIMESTAMP_NS)", LakeType.TimestampNs) == Vector(noon)
    )
    assert(
      read("('1969-12-31 23:59:59.999999999'::TIMESTAMP_NS)", LakeType.TimestampNs) ==
        Vector(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999999000))
    )
    assert(
      read("('2020-01-02'::DATE), (NULL)", LakeType.Timestamp) ==
        Vector(LocalDateTime.of(2020, 1, 2, 0, 0), null)
    )
  }

  test("timestamps that a coarser column rounds out of its range are refused") {
    Seq(LakeType.TimestampS, LakeType.TimestampMs).foreach { lakeType =>
      val failure = intercept[DuckLakeTaskException] {
        read("(make_timestamp(9223372036854775806))", lakeType)
      }
      assert(failure.error.condition == "DUCKLAKE_INVALID_VALUE", lakeType)
    }
  }

  test("infinite timestamps are the extremes of Spark's type in every unit") {
    val endless = LocalDateTime.of(294247, 1, 10, 4, 0, 54, 775807000)
    Seq(
      "TIMESTAMP" -> LakeType.Timestamp,
      "TIMESTAMP_MS" -> LakeType.TimestampMs,
      "TIMESTAMP_NS" -> LakeType.TimestampNs,
      "DATE" -> LakeType.Timestamp,
    )
      .foreach { case (sql, wanted) =>
        assert(read(s"('infinity'::$sql)", wanted) == Vector(endless), sql)
      }
    assert(read("('2020-01-02'::DATE)", LakeType.Date).map(_.toString) == Vector("2020-01-02"))
  }

  test("intervals, uuids and json are text") {
    assert(
      read(
        "(INTERVAL '14 months 3 days 4 hours 5 minutes 6.789 seconds'), (NULL)",
        LakeType.Interval,
      ) ==
        Vector("1 year 2 months 3 days 04:05:06.789", null)
    )
    assert(
      read("(to_hours(1000)), (to_milliseconds(4294967295))", LakeType.Interval) ==
        Vector("1000:00:00", "1193:02:47.295")
    )
    val uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert(read(s"('$uuid'::UUID), (NULL)", LakeType.Uuid) == Vector(uuid, null))
    assert(read("('{\"a\": 1}'), (NULL)", LakeType.Json) == Vector("{\"a\": 1}", null))
  }

  test("floats in byte streams are read, in lists and with NULLs too") {
    val query = "SELECT CASE WHEN i % 3 = 1 THEN NULL ELSE i * 1.1 END::DOUBLE AS d," +
      " (i * 1.25 + random() * 0)::FLOAT AS f, [i * 1.5::DOUBLE, NULL] AS l FROM range(100) r(i)"
    val file = files.write(
      "split.parquet",
      query,
      "{d: 1, f: 2, l: {__duckdb_field_id: 3, element: 4}}",
      ", PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1",
    )
    val list = column(3, "l", LakeType.ListType, Vector(column(4, "element", LakeType.Float64)))
    val spec = TaskRows.spec(
      TaskRows.data(column(1, "d", LakeType.Float64)),
      TaskRows.data(column(2, "f", LakeType.Float32)),
      TaskRows.data(list),
    )

    val rows = TaskRows.of(spec, TaskRows.part(file))

    assert(files.encodings(file).contains("BYTE_STREAM_SPLIT"))
    assert(rows.size == 100)
    assert(rows(1) == Seq[Any](null, 1.25f, Seq[Any](1.5, null)))
    assert(rows(99) == Seq[Any](108.9, 123.75f, Seq[Any](148.5, null)))
  }

  test("bytes and text are what they are, bytes as text are escaped") {
    assert(read("('é'), ('')", LakeType.Varchar) == Vector("é", ""))
    assert(
      read("('a\\xFF'::BLOB)", LakeType.Blob).head.asInstanceOf[Array[Byte]].toSeq ==
        Seq[Byte]('a', -1)
    )
    assert(read("('a\\xFF'::BLOB)", LakeType.Varchar) == Vector("a\\xFF"))
  }
}
