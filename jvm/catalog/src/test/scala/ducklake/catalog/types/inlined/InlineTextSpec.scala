package ducklake.catalog.types.inlined

import ducklake.catalog.testkit.Columns.leaf
import ducklake.catalog.testkit.Columns.list
import ducklake.catalog.testkit.Columns.listOf
import ducklake.catalog.testkit.Columns.mapOf
import ducklake.catalog.testkit.Columns.struct
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

/** The texts are those that DuckDB 1.5.5 wrote for the same values, where it reads its own again. */
class InlineTextSpec extends AnyFunSuite {
  private def text(value: String): Literal = Literal.Text(value)

  private def texts(values: String*): Literal = Literal.ListValue(values.map(text).toVector)

  private def items(values: Literal*): Literal = Literal.ListValue(values.toVector)

  private def fields(values: Literal*): Literal = Literal.StructValue(values.toVector)

  private def entries(values: (Literal, Literal)*): Literal = Literal.MapValue(values.toVector)

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def bytes(values: Int*): Literal = Literal.Bytes(ArraySeq.from(values.map(_.toByte)))

  private def stored(value: Literal, column: Column): Option[StoredValue] =
    InlineCodec.encode(value, column)

  private def assertText(column: Column, values: (Literal, String)*): Unit =
    for ((value, expected) <- values)
      assert(stored(value, column).contains(StoredValue.Text(expected)), value)

  private def assertRefused(column: Column, values: Literal*): Unit =
    for (value <- values) {
      assert(stored(value, column).isEmpty, value)
      assert(InlineCodec.encodeForCast(value, column).isEmpty, value)
    }

  test("strings in lists stand in quotes only where they must") {
    assertText(
      listOf(1, "varchar"),
      items() -> "[]",
      texts("a", "b c", "") -> "[a, b c, '']",
      items(
        Literal.Null,
        text("NULL"),
        text("null"),
        text("NULLs"),
      ) -> "[NULL, 'NULL', 'null', NULLs]",
      texts(" a", "a\t", "a\nb") -> "[' a', 'a\t', a\nb]",
      texts("it's", "say \"x\"", "a\\b", "a\\b'c") -> """['it\'s', 'say "x"', a\b, 'a\\b\'c']""",
      texts("x, y", "{", "a=b", "a:b", "(a)", "[a]") -> "['x, y', '{', 'a=b', 'a:b', '(a)', '[a]']",
      texts("ü€😀", ";", "--") -> "[ü€😀, ;, --]",
    )
  }

  test("strings in structs stand in quotes always") {
    val column = struct(1, "s")(
      leaf(2, "a", "varchar"),
      struct(3, "b")(leaf(4, "c", "varchar"), list(5, "d")(leaf(6, "element", "varchar"))),
    )
    assertText(
      column,
      fields(text("x"), fields(text("1"), texts("y"))) -> "{'a': 'x', 'b': {'c': '1', 'd': [y]}}",
      fields(Literal.Null, Literal.Null) -> "{'a': NULL, 'b': NULL}",
      fields(text("NULL"), Literal.Null) -> "{'a': 'NULL', 'b': NULL}",
    )
  }

  test("what DuckDB spoils in structs is written so that it is read") {
    val column = struct(1, "s")(leaf(2, "a", "varchar"), leaf(3, "b", "date"))
    assertText(
      column,
      fields(text("it's"), Literal.Date(0)) -> """{'a': 'it\'s', 'b': 1970-01-01}""",
      fields(text("x"), Literal.Date(-735160)) -> "{'a': 'x', 'b': '0044-03-15 (BC)'}",
    )
    assertText(
      struct(1, "s")(leaf(2, "a", "float64"), leaf(3, "b", "timestamp")),
      fields(Literal.Floating(Double.NaN), Literal.Timestamp(0)) ->
        "{'a': nan, 'b': '1970-01-01 00:00:00'}",
      fields(Literal.Floating(-0.0), Literal.Timestamp(Long.MaxValue)) ->
        "{'a': -0.0, 'b': infinity}",
    )
  }

  test("lists, maps and structs within each other") {
    assertText(
      mapOf(1, "varchar", "int32"),
      entries() -> "{}",
      entries(text("k") -> whole(1), text("it's") -> Literal.Null) -> """{k=1, 'it\'s'=NULL}""",
    )
    assertText(
      list(1, "l")(struct(2, "element")(leaf(3, "x y", "varchar"))),
      items(fields(text("a, b")), Literal.Null, fields(Literal.Null)) ->
        "[{'x y': 'a, b'}, NULL, {'x y': NULL}]",
    )
    assertText(
      listOf(1, "blob"),
      items(bytes(97), bytes(0, 255), bytes(44, 0)) -> """[a, \x00\xFF, ',\\x00']""",
    )
    assertText(listOf(1, "time"), items(Literal.Time(0)) -> "['00:00:00']")
    assertText(
      listOf(1, "decimal(3,3)"),
      items(Literal.Dec(new java.math.BigDecimal("0.500"))) -> "[.500]",
    )
  }

  test("a struct is read from SQL text and from cast text") {
    val column = struct(1, "s")(leaf(2, "a", "varchar"), leaf(3, "b", "date"))
    def read(text: String): Option[Literal] =
      InlineCodec.decode(StoredValue.Text(text), column).toOption
    def value(a: String): Option[Literal] = Some(fields(text(a), Literal.Date(0)))

    // By DuckDB 1.5.5.
    assert(read("""{'a': 'it''s', 'b': CAST('1970-01-01' AS DATE)}""") == value("it's"))
    assert(read("""{'a': 'a\b', 'b': CAST('1970-01-01' AS DATE)}""") == value("a\\b"))
    assert(read("""{'a': 'x', 'b': NULL}""") == Some(fields(text("x"), Literal.Null)))
    // By a cast, as DuckDB 2.0 writes it.
    assert(read("""{'a': 'it\'s', 'b': 1970-01-01}""") == value("it's"))
    assert(read("""{'a': a\b, 'b': 1970-01-01}""") == value("a\\b"))
    assert(read("""{'a': 'a\\b', 'b': 1970-01-01}""") == value("a\\b"))
    assert(read("""{'a': '\\', 'b': 1970-01-01}""") == value("\\"))
    assert(read("""{'a': 'a\\b, c', 'b': 1970-01-01}""") == value("a\\b, c"))
    assert(read("""{'a': x y, 'b': 1970-01-01}""") == value("x y"))
    assert(read("""{'a': 'NULL', 'b': 1970-01-01}""") == value("NULL"))
    assert(read("""{'a': '', 'b': 1970-01-01}""") == value(""))
  }

  test("a backslash in a struct is refused where it is text") {
    val column = struct(1, "s")(leaf(2, "a", "varchar"))
    val value = fields(text("a\\b"))
    assert(stored(value, column).isEmpty)
    assert(InlineCodec.encodeForCast(value, column).contains(StoredValue.Text("{'a': a\\b}")))
  }

  test("backslashes, and brackets in quotes, are refused where DuckDB misreads them") {
    val map = mapOf(1, "varchar", "varchar")
    assertRefused(map, entries(text("\\") -> text("a")), entries(text("a") -> text("b\\")))
    assertText(map, entries(text("a:\\") -> text("b")) -> """{'a:\\'=b}""")
    val lists = list(1, "l")(listOf(2, "varchar"))
    assertRefused(lists, items(texts("a\\b")), items(texts("it's")), items(texts("a]")))
    assertRefused(lists, items(texts("("), Literal.Null))
    assertText(lists, items(texts("a, b", ""), texts()) -> "[['a, b', ''], []]")
    val named = list(1, "l")(struct(2, "element")(leaf(3, "{", "int32")))
    assertRefused(named, items(fields(whole(1))))
  }

  test("JSON inside of something is refused") {
    assertRefused(listOf(1, "json"), texts("1"))
    assert(stored(items(), listOf(1, "json")).contains(StoredValue.Text("[]")))
  }

  test("maps with a key twice, or with NULL as a key, are refused") {
    val one = whole(1)
    assertRefused(mapOf(1, "varchar", "int32"), entries(Literal.Null -> one))
    assertRefused(mapOf(1, "int32", "int32"), entries(one -> one, one -> Literal.Null))
    val zeros = entries(Literal.Floating(0.0) -> one, Literal.Floating(-0.0) -> one)
    val nans = entries(Literal.Floating(Double.NaN) -> one, Literal.Floating(Double.NaN) -> one)
    assertRefused(mapOf(1, "float64", "int32"), zeros, nans)
    val month = entries(Literal.Interval(1, 0, 0) -> one, Literal.Interval(0, 30, 0) -> one)
    assertRefused(mapOf(1, "interval", "int32"), month)
  }

  test("values beyond what DuckDB reads are refused") {
    assertRefused(leaf(1, "c", "date"), Literal.Date(Int.MinValue))
    assertRefused(
      leaf(1, "c", "timestamp"),
      Literal.Timestamp(Long.MinValue),
      Literal.Timestamp(-9223372022400000001L),
    )
    assertRefused(leaf(1, "c", "timestamp_ns"), Literal.Timestamp(-9223286400000000001L))
    assertRefused(leaf(1, "c", "timestamp_s"), Literal.Timestamp(9223372036855L))
    assertRefused(leaf(1, "c", "time"), Literal.Time(-1), Literal.Time(86400000001L))
    assertRefused(leaf(1, "c", "timetz"), Literal.TimeTz(0, 57600))
    assertRefused(
      leaf(1, "c", "interval"),
      Literal.Interval(0, 0, Long.MaxValue),
      Literal.Interval(0, 0, Long.MinValue),
      Literal.Interval(Int.MinValue, 0, 0),
    )
    assertRefused(leaf(1, "c", "varchar"), text("\ud83d"), text("\ude00\ud83d"))
  }

  test("values of another type than the column's are refused") {
    assertRefused(leaf(1, "c", "int8"), whole(128), text("1"), Literal.BigIntegral(1))
    assertRefused(leaf(1, "c", "decimal(4,2)"), Literal.Dec(new java.math.BigDecimal("1.5")))
    assertRefused(leaf(1, "c", "varchar"), whole(1))
    assertRefused(leaf(1, "c", "blob"), text("a"))
    assertRefused(listOf(1, "int32"), whole(1), texts("a"), fields(whole(1)))
    assertRefused(struct(1, "s")(leaf(2, "a", "int32")), fields(), fields(whole(1), whole(2)))
    assertRefused(leaf(1, "c", "variant"), text("a"))
    assertRefused(leaf(1, "c", "geometry"), bytes(1))
  }
}
