package ducklake.spark.filters

import ducklake.catalog.types.LakeType
import org.apache.spark.sql.types.Decimal as SparkDecimal
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

/** A column that is filtered.
  *
  * @param stored DuckDB's type of the files' values
  * @param before DuckLake's name of it
  * @param now the column's type since a promotion; the same where there was none
  * @param values of the files, in DuckDB's words; NULL besides
  * @param literals in Spark's internal form, besides the values themselves
  */
final case class FilteredColumn(
    stored: String,
    before: LakeType.Primitive,
    now: LakeType.Primitive,
    values: Vector[String],
    literals: Vector[Any],
)

/** Every type of jvm/docs/types.md, and every promotion of format 11.2 that files are read through.
  */
object FilteredColumn {
  import LakeType.*

  private val random = new Random(20261123)

  private val bytes = Vector[Any](Byte.MinValue, -1.toByte, 0.toByte, 1.toByte, Byte.MaxValue)

  private val shorts: Vector[Any] =
    Vector(Short.MinValue, -1, 0, 1, 127, 128, 254, 255, 256, Short.MaxValue).map(_.toShort)

  private val ints: Vector[Any] =
    Vector(Int.MinValue, -1, 0, 1, 255, 256, 65534, 65535, 65536, Int.MaxValue)

  private val longs: Vector[Any] =
    Vector(Long.MinValue, -1, 0, 1, 256, 4294967295L, 4294967296L, 86400000000L, Long.MaxValue)

  private def decimals(precision: Int, scale: Int)(values: String*): Vector[Any] =
    (values :+ "9" * (precision - scale) :+ "-" + "9" * (precision - scale) :+ "0" :+ "-1").toVector
      .map(text => SparkDecimal(new java.math.BigDecimal(text), precision, scale))

  private val singles: Vector[Any] = Vector(
    Float.NaN,
    Float.NegativeInfinity,
    Float.MinValue,
    -1f,
    -0f,
    0f,
    Float.MinPositiveValue,
    0.1f,
    Float.MaxValue,
    Float.PositiveInfinity,
  )

  private val doubles: Vector[Any] = Vector(
    Double.NaN,
    Double.NegativeInfinity,
    Double.MinValue,
    -1.0,
    -0.0,
    0.0,
    Double.MinPositiveValue,
    0.1,
    0.1f.toDouble,
    1e300,
    Double.PositiveInfinity,
  )

  private val texts: Vector[Any] =
    Vector("", "a", "aa", "\u0000", "é", "\ufffd", "🦆", "z" * 300, "12:00:00", "{}")
      .map(UTF8String.fromString) ++
      Vector(Array[Byte](-1), Array[Byte]('a', -61), Array[Byte](-19, -96, -128))
        .map(UTF8String.fromBytes)

  private val floatTexts =
    Vector("'nan'", "'inf'", "'-inf'", "-0.0", "0.0", "0.1", "-1.5", "3e38", "1e-40", "16777217")

  private val moments =
    Vector("infinity", "-infinity", "1969-12-31 23:59:59", "1970-01-01", "2024-02-29 12:30:45")
      .map(text => s"'$text'")

  private val fine =
    moments ++ Vector("'1969-12-31 23:59:59.999999'", "'2024-02-29 00:00:00.000001'")

  private def longNumbers(count: Int, digits: Int, scale: Int): Vector[String] =
    Vector.fill(count) {
      val whole = (1 to digits).map(_ => ('0' + random.nextInt(10)).toChar).mkString
      val sign = if (random.nextBoolean()) "-" else ""
      s"$sign${whole.dropRight(scale)}.${whole.takeRight(scale)}"
    }

  private def same(
      stored: String,
      lakeType: Primitive,
      values: Vector[String],
      literals: Vector[Any],
  ): FilteredColumn = FilteredColumn(stored, lakeType, lakeType, values, literals)

  private val digits38 = "9" * 38

  private val wholes: Vector[FilteredColumn] = Vector(
    same("TINYINT", Int8, Vector("-128", "-1", "0", "1", "127"), bytes),
    same("SMALLINT", Int16, Vector("-32768", "-1", "0", "255", "32767"), shorts),
    same("INTEGER", Int32, Vector("-2147483648", "-1", "0", "65536", "2147483647"), ints),
    same("BIGINT", Int64, Vector("-9223372036854775808", "-1", "0", "9223372036854775807"), longs),
    same("HUGEINT", Int128, Vector(s"-$digits38", "-1", "0", digits38), decimals(38, 0)()),
    same("UTINYINT", UInt8, Vector("0", "1", "127", "128", "254", "255"), shorts),
    same("USMALLINT", UInt16, Vector("0", "1", "32768", "65534", "65535"), ints),
    same("UINTEGER", UInt32, Vector("0", "1", "2147483648", "4294967295"), longs),
    same(
      "UBIGINT",
      UInt64,
      Vector("0", "1", "9223372036854775808", "18446744073709551615"),
      decimals(20, 0)("18446744073709551615", "18446744073709551616", "9223372036854775807"),
    ),
    same("UHUGEINT", UInt128, Vector("0", "1", digits38), decimals(38, 0)()),
  )

  private val numbers: Vector[FilteredColumn] = Vector(
    same("BOOLEAN", Bool, Vector("true", "false"), Vector(true, false)),
    same("FLOAT", Float32, floatTexts, singles),
    same("DOUBLE", Float64, floatTexts ++ Vector("1e300", "5e-324"), doubles),
    same("DECIMAL(4,1)", Decimal(4, 1), Vector("-999.9", "0", "999.9"), decimals(4, 1)("0.1")),
    same("DECIMAL(9,2)", Decimal(9, 2), Vector("-9999999.99", "0", "1.5"), decimals(9, 2)("1.5")),
    same(
      "DECIMAL(18,4)",
      Decimal(18, 4),
      Vector("-99999999999999.9999", "0", "1.5", "99999999999999.9999"),
      decimals(18, 4)("1.5") :+ SparkDecimal(new java.math.BigDecimal("10000000000000000000")),
    ),
    same(
      "DECIMAL(38,10)",
      Decimal(38, 10),
      Vector(s"-${"9" * 28}.9999999999", "0", "1.5", "-1.5", "9" * 28),
      decimals(38, 10)("1.5", "-1.5"),
    ),
  )

  private val dated: Vector[FilteredColumn] = Vector(
    same("DATE", Date, moments.map(_.replaceAll(" [0-9:]+", "")), ints),
    same("TIMESTAMP", Timestamp, fine, longs),
    same("TIMESTAMP_S", TimestampS, moments.drop(2), longs),
    same("TIMESTAMP_MS", TimestampMs, moments :+ "'1969-12-31 23:59:59.999'", longs),
    same("TIMESTAMP_NS", TimestampNs, fine :+ "'1969-12-31 23:59:59.999999999'", longs),
    same("TIMESTAMPTZ", TimestampTz, fine, longs),
    same("TIME", Time, Vector("'00:00:00'", "'12:00:00'", "'23:59:59.999999'"), texts),
    same("TIMETZ", TimeTz, Vector("'00:00:00+00'", "'12:00:00+02'"), texts),
    same("INTERVAL", Interval, Vector("'1 day'", "'24 hours'"), texts),
  )

  private val strings: Vector[FilteredColumn] = Vector(
    same(
      "VARCHAR",
      Varchar,
      Vector("", "a", "aa", "é", "\ufffd", "🦆", "z" * 300).map(quoted),
      texts,
    ),
    same("JSON", Json, Vector("{}", "[1]", "\"a\"").map(quoted), texts),
    same("BLOB", Blob, Vector("''", "'\\xFF'", "'a'"), Vector(Array[Byte](), Array[Byte](-1))),
    same(
      "UUID",
      Uuid,
      Vector("'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
      texts,
    ),
  )

  private def quoted(text: String): String = s"'$text'"

  private val promotions: Vector[(String, Primitive)] = Vector(
    "TINYINT" -> Int64,
    "UTINYINT" -> UInt16,
    "UTINYINT" -> Int16,
    "UTINYINT" -> UInt64,
    "USMALLINT" -> Int64,
    "UINTEGER" -> Int64,
    "BOOLEAN" -> Int32,
    "BIGINT" -> Int128,
    "HUGEINT" -> Float64,
    "HUGEINT" -> Float32,
    "INTEGER" -> Decimal(12, 2),
    "DECIMAL(9,2)" -> Decimal(18, 4),
    "DECIMAL(18,4)" -> Decimal(38, 10),
    "INTEGER" -> Float64,
    "FLOAT" -> Float64,
    "DATE" -> Timestamp,
    "DATE" -> TimestampTz,
    "TIMESTAMP_S" -> Timestamp,
    "TIMESTAMP_MS" -> Timestamp,
    "TIMESTAMP" -> TimestampNs,
    "TIMESTAMP" -> TimestampTz,
    "VARCHAR" -> Json,
  )

  private val plain: Vector[FilteredColumn] = wholes ++ numbers ++ dated ++ strings

  private val promoted: Vector[FilteredColumn] =
    for {
      (stored, now) <- promotions
      from <- plain.filter(_.stored == stored)
    } yield from.copy(now = now, literals = literalsOf(now))

  private def literalsOf(lakeType: Primitive): Vector[Any] =
    lakeType match {
      case Decimal(precision, scale) => decimals(precision, scale)("1.5", "0.1")
      case other => plain.filter(_.now == other).flatMap(_.literals)
    }

  /** Numbers of more digits than the floats that they became. */
  private val rounded: Vector[FilteredColumn] =
    for {
      (precision, scale) <- Vector((18, 3), (38, 20), (38, 30))
      (now, literals) <- Vector(Float32 -> singles, Float64 -> doubles)
    } yield FilteredColumn(
      s"DECIMAL($precision,$scale)",
      Decimal(precision, scale),
      now,
      longNumbers(16, precision, scale) ++ Vector("0", "0.75", "-3"),
      literals,
    )

  private val largeWholes: Vector[FilteredColumn] =
    for {
      stored <- Vector("BIGINT", "UBIGINT")
      from <- plain.filter(_.stored == stored)
      now <- Vector(Float32, Float64)
    } yield from.copy(
      now = now,
      values = from.values ++ Vector.fill(10)((random.nextLong() >>> 1).toString),
      literals = literalsOf(now),
    )

  val all: Vector[FilteredColumn] = plain ++ promoted ++ rounded ++ largeWholes
}
