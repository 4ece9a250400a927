package ducklake.catalog.types.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

import scala.collection.immutable.ArraySeq

/** What is stored was read from inlined tables of DuckDB 1.4.4, 1.5.1 and 1.5.5. */
class InlineCodecSpec extends AnyFunSuite {
  private def bytes(values: Int*): ArraySeq[Byte] = ArraySeq.from(values.map(_.toByte))

  private def dec(text: String): Literal = Literal.Dec(new java.math.BigDecimal(text))

  private val uuid = "550e8400-e29b-41d4-a716-446655440000"

  test("a variant is its metadata and its value") {
    val column = Columns.leaf(1, "v", "variant")
    // An object {"a": 5}: a dictionary with one name, then the value.
    val metadata = bytes(0x01, 1, 0, 1, 'a')
    val value = bytes(0x02, 1, 0, 0, 2, 0x0c, 5)
    def read(stored: ArraySeq[Byte]) = InlineCodec.decode(StoredValue.Bytes(stored), column)

    assert(read(metadata ++ value) == Right(Literal.Variant(metadata, value)))
    assert(
      read(bytes(0x11, 0, 0, 0x0c, 7)) == Right(Literal.Variant(bytes(0x11, 0, 0), bytes(0x0c, 7)))
    )
    val wide = bytes(0x41, 1, 0, 0, 0, 2, 0, 'a', 'b')
    assert(read(wide ++ bytes(0)) == Right(Literal.Variant(wide, bytes(0))))
    Vector(bytes(), bytes(1), bytes(2, 0, 0, 0), metadata, metadata.take(3), bytes(1, 200, 0, 0))
      .foreach(damaged => assert(read(damaged).isLeft, damaged))
  }

  private val sqlite: Vector[(String, StoredValue, Literal)] = Vector(
    ("int8", StoredValue.Whole(-128), Literal.Integral(-128)),
    ("uint32", StoredValue.Whole(4294967295L), Literal.Integral(4294967295L)),
    ("uint64", StoredValue.Text("9223372036854775808"), Literal.BigIntegral(BigInt(1) << 63)),
    (
      "int128",
      StoredValue.Text("-9223372036854775809"),
      Literal.BigIntegral(-(BigInt(1) << 63) - 1),
    ),
    ("boolean", StoredValue.Whole(1), Literal.Bool(value = true)),
    ("float32", StoredValue.Text("3.4028235e+38"), Literal.Floating(Float.MaxValue.toDouble)),
    ("float32", StoredValue.Real(0.1), Literal.Floating(0.1f.toDouble)),
    (
      "float64",
      StoredValue.Real(Double.NegativeInfinity),
      Literal.Floating(Double.NegativeInfinity),
    ),
    ("float64", StoredValue.Text("-0.0"), Literal.Floating(-0.0)),
    ("decimal(4,4)", StoredValue.Text("-.9999"), dec("-0.9999")),
    ("decimal(38,10)", StoredValue.Text("0.0000000001"), dec("0.0000000001")),
    ("date", StoredValue.Text("0044-03-15 (BC)"), Literal.Date(-735160)),
    ("time", StoredValue.Text("23:59:59.999999"), Literal.Time(86399999999L)),
    ("timestamptz", StoredValue.Text("-infinity"), Literal.Timestamp(-Long.MaxValue)),
    ("timetz", StoredValue.Text("01:02:03.5-08"), Literal.TimeTz(3723500000L, -28800)),
    (
      "interval",
      StoredValue.Text("178956970 years 7 months"),
      Literal.Interval(Int.MaxValue, 0, 0),
    ),
    ("varchar", StoredValue.Text("a\u0000b"), Literal.Text("a\u0000b")),
    ("blob", StoredValue.Bytes(bytes(0, 255)), Literal.Bytes(bytes(0, 255))),
    ("uuid", StoredValue.Text(uuid), Literal.Uuid(UUID.fromString(uuid))),
    ("int32", StoredValue.Null, Literal.Null),
  )

  private val postgres: Vector[(String, StoredValue, Literal)] = Vector(
    ("varchar", StoredValue.Bytes(bytes(0xc3, 0xa9, 0)), Literal.Text("é\u0000")),
    ("varchar", StoredValue.Bytes(bytes(0x61, 0xef, 0xbf, 0xbd)), Literal.Text("a\uFFFD")),
    ("json", StoredValue.Bytes(bytes(0x7b, 0x7d)), Literal.Text("{}")),
    ("float32", StoredValue.Real(0.1f.toDouble), Literal.Floating(0.1f.toDouble)),
    ("decimal(5,2)", StoredValue.Decimal(new java.math.BigDecimal("1.1")), dec("1.10")),
    ("time", StoredValue.Text("12:34:56.7"), Literal.Time(45296700000L)),
    ("timetz", StoredValue.Text("12:30:00+05:30"), Literal.TimeTz(45000000000L, 19800)),
    (
      "interval",
      StoredValue.Text("1 year 2 mons 3 days 04:05:06.789"),
      Literal.Interval(14, 3, 14706789000L),
    ),
    ("interval", StoredValue.Text("-1 days +02:00:00"), Literal.Interval(0, -1, 7200000000L)),
    ("int64", StoredValue.Native(Literal.Integral(5)), Literal.Integral(5)),
  )

  test("values of SQLite and PostgreSQL are read by the type of their column") {
    for ((typeText, stored, expected) <- sqlite ++ postgres) {
      val column = Columns.leaf(1, "c", typeText)
      assert(InlineCodec.decode(stored, column) == Right(expected), s"$typeText $stored")
    }
  }

  test("nested values are read from text, or from the bytes of text") {
    val struct = Columns.struct(1, "s")(Columns.leaf(2, "a", "varchar"))
    val it = Right(Literal.StructValue(Vector(Literal.Text("it's"))))

    assert(InlineCodec.decode(StoredValue.Text("{'a': 'it''s'}"), struct) == it)
    assert(InlineCodec.decode(StoredValue.Text("{'a': 'it\\'s'}"), struct) == it)
    assert(
      InlineCodec.decode(StoredValue.Bytes(bytes(0x5b, 0x31, 0x5d)), Columns.listOf(1, "int32")) ==
        Right(Literal.ListValue(Vector(Literal.Integral(1))))
    )
  }

  test("what is no value of the column is an error that names both") {
    val refused = Vector(
      "int8" -> StoredValue.Whole(128),
      "boolean" -> StoredValue.Whole(2),
      "varchar" -> StoredValue.Bytes(bytes(0xff)),
      "int32" -> StoredValue.Text("x"),
      "variant" -> StoredValue.Text("x"),
      "unknown" -> StoredValue.Whole(1),
      "decimal(3,2)" -> StoredValue.Text("1.234"),
    )

    for ((typeText, stored) <- refused) {
      InlineCodec.decode(stored, Columns.leaf(1, "c", typeText)) match {
        case Left(error: LakeError.InvalidValue) =>
          assert(error.column == "c")
          assert(error.typeText == typeText)
        case other => fail(s"$typeText $stored gave $other")
      }
    }
  }
}
