package ducklake.catalog.testkit

import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal

import java.util.UUID

import scala.collection.immutable.ArraySeq

/** Values of every type that can be put into an inlined table, those at the edge of what DuckDB reads
  * among them.
  */
object InlinedSamples {

  /** Columns without children, each with the text of its type as its name, and its values. */
  val primitives: Vector[(Column, Vector[Literal])] = Vector(
    "boolean" -> Vector(Literal.Bool(value = true), Literal.Bool(value = false)),
    "int8" -> whole(-128, 0, 127),
    "int16" -> whole(-32768, 32767),
    "int32" -> whole(Int.MinValue.toLong, Int.MaxValue.toLong),
    "int64" -> whole(Long.MinValue, Long.MaxValue),
    "uint8" -> whole(0, 255),
    "uint16" -> whole(0, 65535),
    "uint32" -> whole(0, 4294967295L),
    "uint64" -> Vector(wide(0), wide((BigInt(1) << 64) - 1)),
    "int128" -> Vector(wide(-(BigInt(1) << 127)), wide(5), wide((BigInt(1) << 127) - 1)),
    "uint128" -> Vector(wide(0), wide((BigInt(1) << 128) - 1)),
    "float32" -> (floats(0.0, -0.0, 1.5, 0.1f.toDouble, 1e20f.toDouble, 1e-5f.toDouble) ++
      floats(Float.MinPositiveValue.toDouble, Float.MaxValue.toDouble) ++ oddFloats),
    "float64" -> (floats(0.0, -0.0, 0.1, 1e15, 1e16, 1e-5, 0.30000000000000004) ++
      floats(Double.MinPositiveValue, Double.MaxValue) ++ oddFloats),
    "decimal(4,2)" -> decimals("0.50", "-0.05", "99.99"),
    "decimal(3,3)" -> decimals("0.500", "-0.125", "0.000"),
    "decimal(38,10)" -> decimals("1234567890123456789012345678.0123456789", "0E-10"),
    "decimal(5,0)" -> decimals("5", "-99999"),
    "varchar" -> (strings.map(Literal.Text(_)) :+ Literal.Text("a\u0000b")),
    "json" -> Vector("{\"a\": 1}", "null", "\"\\u0000\"", "[1, 2]").map(Literal.Text(_)),
    "blob" -> Vector(bytes(), bytes(0, 255), bytes(0x27, 0x22, 0x5c), bytes(97, 98)),
    "uuid" -> Vector(uuid("00000000-0000-0000-0000-000000000000"), uuid(someUuid)),
    "date" -> dates(
      0,
      19723,
      -735160,
      2932896,
      Int.MaxValue,
      -Int.MaxValue,
      -2147483646,
      2147483646,
    ),
    "time" -> times(0, 45296789000L, 86399999999L, 86400000000L),
    "time_ns" -> times(0, 45296789000000L, 86399999999999L, 86400000000000L),
    "timetz" -> Vector(
      Literal.TimeTz(0, 0),
      Literal.TimeTz(45296789000L, 19800),
      Literal.TimeTz(86399999999L, -57599),
      Literal.TimeTz(1, 57599),
    ),
    "timestamp" -> (ticks(0, 1709210096789000L, -63517820277000000L, -9223372022400000000L) ++
      ticks(Long.MaxValue, -Long.MaxValue, Long.MaxValue - 1)),
    "timestamp_s" -> ticks(0, 1709210096L, -63517820277L, Long.MaxValue, 9223372036854L),
    "timestamp_ms" -> ticks(0, 1709210096789L, -63517820277000L, Long.MaxValue, -Long.MaxValue),
    "timestamp_ns" -> (ticks(0, 1709210096123456789L, Long.MaxValue, -Long.MaxValue) ++
      ticks(Long.MaxValue - 1, -9223286400000000000L)),
    "timestamptz" -> (ticks(0, 1709210096789000L, -63517820277000000L, 253402300799999999L) ++
      ticks(Long.MaxValue, -Long.MaxValue)),
    "interval" -> Vector(
      Literal.Interval(0, 0, 0),
      Literal.Interval(14, 3, 14706789000L),
      Literal.Interval(-12, 0, 0),
      Literal.Interval(1, -5, 1000000),
      Literal.Interval(-14, 5, -1),
      Literal.Interval(Int.MaxValue, -Int.MaxValue, 1L << 53),
    ),
  ).map { case (typeText, values) => (Columns.leaf(1, typeText, typeText), values) }

  /** Columns with children, of every type of [[primitives]] and of strings that are hard to quote. */
  val nested: Vector[(Column, Vector[Literal])] =
    primitives
      .filterNot { case (column, _) => column.name == "json" }
      .map { case (column, values) =>
        (column, values.filterNot(_ == Literal.Text("a\u0000b")))
      }
      .flatMap { case (column, values) => shapes(column.name, values) } ++ deep

  /** Strings that mean something where they stand without quotes. */
  def strings: Vector[String] = Vector("", "NULL", "null", "NULLs", "it's", "a\\b", "\\", "\\\\") ++
    Vector("a\"b", " x ", "x y", "a,b", "{a}", "[a]", "a=b", "a:b", "(a)", "ü€😀", "\n", "a\tb") ++
    Vector("'q'", "\\'", "'a'||'b'", "CAST('1' AS DATE)", "chr(0)", "--x", ";", "\u00a0", "1", "$$")

  private def someUuid = "ffffffff-ffff-4fff-bfff-ffffffffffff"

  private def shapes(
      typeText: String,
      values: Vector[Literal],
  ): Vector[(Column, Vector[Literal])] = {
    val list = Columns.listOf(1, typeText)
    val struct = Columns.struct(1, "s")(
      Columns.leaf(2, "a", typeText),
      Columns.leaf(3, "b", "int32"),
      Columns.struct(4, "c")(Columns.leaf(5, "it", typeText)),
    )
    val structs = Columns.list(1, "l")(
      Columns.struct(2, "element")(Columns.leaf(3, "a", typeText))
    )
    val map = Columns.mapOf(1, "int32", typeText)
    Vector(
      list -> (Vector(items(values: _*), items(Literal.Null), items()) ++ values.map(items(_))),
      struct -> (values :+ Literal.Null).map(v => fields(v, Literal.Integral(7), fields(v))),
      structs -> values.map(value => items(fields(value), Literal.Null, fields(Literal.Null))),
      map -> values.map { value =>
        entries(Literal.Integral(1) -> value, Literal.Integral(2) -> Literal.Null)
      },
      Columns.mapOf(1, typeText, "int32") -> values.map(v => entries(v -> Literal.Integral(1))),
    )
  }

  private def deep: Vector[(Column, Vector[Literal])] = {
    val column = Columns.struct(1, "s")(
      Columns.leaf(2, "x y", "varchar"),
      Columns.map(3, "m")(
        Columns.struct(4, "key")(Columns.leaf(5, "K", "varchar")),
        Columns.list(6, "value")(Columns.list(7, "element")(Columns.leaf(8, "element", "date"))),
      ),
    )
    val values = strings.map { text =>
      fields(
        Literal.Text(text),
        entries(
          fields(Literal.Text(text)) -> items(items(Literal.Date(0)), Literal.Null, items()),
          fields(Literal.Null) -> Literal.Null,
        ),
      )
    }
    val names = Vector("x'y", "x\\y", "x:y", "x,y", "x\"y", "{", "NULL", " ", "ü").map { name =>
      Columns.struct(1, "s")(Columns.leaf(2, name, "int32")) -> Vector(fields(Literal.Integral(1)))
    }
    (column -> values) +: names
  }

  private def whole(values: Long*): Vector[Literal] = values.map(Literal.Integral(_)).toVector

  private def wide(value: BigInt): Literal = Literal.BigIntegral(value)

  private def floats(values: Double*): Vector[Literal] = values.map(Literal.Floating(_)).toVector

  private def oddFloats: Vector[Literal] =
    floats(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)

  private def decimals(texts: String*): Vector[Literal] =
    texts.map(text => Literal.Dec(new java.math.BigDecimal(text))).toVector

  private def bytes(values: Int*): Literal = Literal.Bytes(ArraySeq.from(values.map(_.toByte)))

  private def uuid(text: String): Literal = Literal.Uuid(UUID.fromString(text))

  private def dates(days: Int*): Vector[Literal] = days.map(Literal.Date(_)).toVector

  private def times(ticks: Long*): Vector[Literal] = ticks.map(Literal.Time(_)).toVector

  private def ticks(values: Long*): Vector[Literal] = values.map(Literal.Timestamp(_)).toVector

  private def items(values: Literal*): Literal = Literal.ListValue(values.toVector)

  private def fields(values: Literal*): Literal = Literal.StructValue(values.toVector)

  private def entries(values: (Literal, Literal)*): Literal = Literal.MapValue(values.toVector)
}
