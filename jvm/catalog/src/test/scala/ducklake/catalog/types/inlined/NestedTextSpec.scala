package ducklake.catalog.types.inlined

import ducklake.catalog.testkit.Columns.leaf
import ducklake.catalog.testkit.Columns.list
import ducklake.catalog.testkit.Columns.listOf
import ducklake.catalog.testkit.Columns.map
import ducklake.catalog.testkit.Columns.mapOf
import ducklake.catalog.testkit.Columns.struct
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

/** The texts were recorded from inlined tables that DuckDB 1.5.1 and 1.5.5 wrote. */
class NestedTextSpec extends AnyFunSuite {
  private def text(value: String): Literal = Literal.Text(value)

  private def texts(values: String*): Literal = Literal.ListValue(values.map(text).toVector)

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def items(values: Literal*): Literal = Literal.ListValue(values.toVector)

  private def fields(values: Literal*): Literal = Literal.StructValue(values.toVector)

  private def entries(values: (Literal, Literal)*): Literal = Literal.MapValue(values.toVector)

  private def bytes(values: Int*): Literal =
    Literal.Bytes(ArraySeq.from(values.map(_.toByte)))

  private def assertCast(column: Column, written: (String, Literal)*): Unit =
    for ((text, expected) <- written) {
      assert(NestedText.parseCast(text, column) == Right(expected), text)
    }

  private def assertSql(column: Column, written: (String, Literal)*): Unit =
    for ((text, expected) <- written) {
      assert(NestedText.parseSql(text, column) == Right(expected), text)
    }

  test("lists of texts, with quotes only where they are needed") {
    assertCast(
      listOf(1, "varchar"),
      "[]" -> items(),
      "[NULL]" -> items(Literal.Null),
      "[a, b, '']" -> texts("a", "b", ""),
      "[NULL, 'x, y', 'NULL', ' ', '[a]']" ->
        items(Literal.Null, text("x, y"), text("NULL"), text(" "), text("[a]")),
      """['it\'s', 'say "x"', back\slash, 'a\\b\'c', ' \\']""" ->
        texts("it's", "say \"x\"", "back\\slash", "a\\b'c", " \\"),
      "['{\\'a\\': 1}', '[1, 2]', 'a, b', 'a=b', ':']" ->
        texts("{'a': 1}", "[1, 2]", "a, b", "a=b", ":"),
      "[ünï 🦆, a\nb, 'a\t']" -> texts("ünï 🦆", "a\nb", "a\t"),
    )
  }

  test("lists of other types") {
    assertCast(listOf(1, "int32"), "[1, 2, NULL]" -> items(whole(1), whole(2), Literal.Null))
    assertCast(
      listOf(1, "timestamp"),
      "['2024-01-01 00:00:00', NULL]" ->
        items(Literal.Timestamp(1704067200000000L), Literal.Null),
    )
    assertCast(
      listOf(1, "date"),
      "[2024-01-01, infinity]" -> items(Literal.Date(19723), Literal.Date(Int.MaxValue)),
    )
    assertCast(
      listOf(1, "blob"),
      """['\\x00\\xFFab\\x27\\x22\\x5C,', '', \x00a]""" ->
        items(bytes(0, 255, 97, 98, 39, 34, 92, 44), bytes(), bytes(0, 97)),
    )
    assertCast(
      listOf(1, "json"),
      """['{"a": [1, "x, ]y"]}', 'null', '"it\'s"', NULL]""" ->
        items(text("""{"a": [1, "x, ]y"]}"""), text("null"), text("\"it's\""), Literal.Null),
    )
    assertCast(
      listOf(1, "interval"),
      "['1 day 02:00:00', 3 months]" ->
        items(Literal.Interval(0, 1, 7200000000L), Literal.Interval(3, 0, 0)),
    )
  }

  test("maps") {
    assertCast(
      mapOf(1, "varchar", "varchar"),
      "{}" -> entries(),
      """{'it\'s'='say "x"', '"'=back\slash}""" ->
        entries(text("it's") -> text("say \"x\""), text("\"") -> text("back\\slash")),
      "{''=' ', 'NULL'=NULL}" -> entries(text("") -> text(" "), text("NULL") -> Literal.Null),
      "{'{a}'='[b]', 'k=v'='x: y'}" ->
        entries(text("{a}") -> text("[b]"), text("k=v") -> text("x: y")),
    )
    assertCast(mapOf(1, "int32", "varchar"), "{1=one}" -> entries(whole(1) -> text("one")))
    assertCast(
      mapOf(1, "date", "timestamp"),
      "{2024-01-01='2024-01-01 01:02:03.4'}" ->
        entries(Literal.Date(19723) -> Literal.Timestamp(1704070923400000L)),
    )
  }

  test("nesting in lists and maps") {
    val inner = list(2, "element")(listOf(3, "int32").copy(name = "element"))
    assertCast(
      list(1, "l")(inner),
      "[[[1, NULL]], [], NULL]" ->
        items(items(items(whole(1), Literal.Null)), items(), Literal.Null),
    )
    val pair = struct(2, "key")(leaf(3, "k1", "int32"), leaf(4, "k2", "varchar"))
    assertCast(
      map(1, "m")(pair, leaf(5, "value", "float64")),
      "{{'k1': 1, 'k2': a}=1.5}" ->
        entries(fields(whole(1), text("a")) -> Literal.Floating(1.5)),
    )
    val odd = struct(2, "element")(
      leaf(3, "a b", "int32"),
      leaf(4, "c'd", "varchar"),
      leaf(5, "E", "int32"),
      leaf(6, "f\\g", "int32"),
    )
    assertCast(
      list(1, "l")(odd),
      """[{'a b': 1, 'c\'d': x, 'E': 3, 'f\\g': 4}, NULL]""" ->
        items(fields(whole(1), text("x"), whole(3), whole(4)), Literal.Null),
    )
  }

  test("structs as SQL, backslashes being nothing special") {
    assertSql(
      struct(1, "s")(leaf(2, "a", "varchar"), leaf(3, "b", "varchar")),
      """{'a': 'it''s', 'b': 'say "x"'}""" -> fields(text("it's"), text("say \"x\"")),
      "{'a': '', 'b': 'NULL'}" -> fields(text(""), text("NULL")),
      "{'a': '{''a'': 1, b: [x]}', 'b': 'a, b'}" -> fields(text("{'a': 1, b: [x]}"), text("a, b")),
      "{'a': '日本', 'b': '\\'}" -> fields(text("日本"), text("\\")),
      "{'a': NULL, 'b': 'CAST('}" -> fields(Literal.Null, text("CAST(")),
      "{'a': CONCAT('x', chr(0), 'y'), 'b': 'x\ny'}" -> fields(text("x\u0000y"), text("x\ny")),
      "NULL" -> Literal.Null,
    )
  }

  test("casts inside structs, as each version writes them") {
    val column = struct(1, "s")(
      leaf(2, "f", "float32"),
      leaf(3, "ts", "timestamptz"),
      leaf(4, "bl", "blob"),
      leaf(5, "t", "time"),
      leaf(6, "i", "interval"),
      leaf(7, "tz", "timetz"),
      leaf(8, "d38", "decimal(38,5)"),
    )
    val expected = Vector(
      Literal.Floating(Double.PositiveInfinity),
      Literal.Timestamp(1704070923400000L),
      bytes(0, 255),
      Literal.Time(3723000004L),
      Literal.Interval(0, 1, 0),
      Literal.TimeTz(43200000000L, 19800),
      Literal.Dec(new java.math.BigDecimal("123456789012345678901234567890123.45678")),
    )
    val number = "123456789012345678901234567890123.45678"

    assertSql(
      column,
      s"""{'f': CAST('inf' AS VARCHAR), 'ts': CAST('2024-01-01 01:02:03.4+00' AS VARCHAR), """ +
        s"""'bl': CAST('\\x00\\xFF' AS BLOB), 't': CAST('01:02:03.000004' AS TIME), """ +
        s"""'i': CAST('0 months 1 days 0 microseconds' AS INTERVAL), """ +
        s"""'tz': CAST('12:00:00+05:30' AS TIME WITH TIME ZONE), 'd38': $number}""" ->
        Literal.StructValue(expected),
      s"""{'f': 'inf'::REAL, 'ts': '2024-01-01 01:02:03.4+00'::VARCHAR, """ +
        s"""'bl': '\\x00\\xFF'::VARCHAR, 't': '01:02:03.000004'::TIME, 'i': '1 day'::INTERVAL, """ +
        s"""'tz': '12:00:00+05:30'::TIME WITH TIME ZONE, 'd38': $number}""" ->
        Literal.StructValue(expected),
    )
  }

  test("lists and maps inside a struct are cast text again") {
    val column = struct(1, "s")(
      listOf(2, "varchar"),
      mapOf(4, "varchar", "varchar"),
      list(7, "s")(struct(8, "element")(leaf(9, "x", "varchar"), leaf(10, "b", "blob"))),
    )
    assertSql(
      column,
      """{'l': ['it\'s', a\b, 'x, y', NULL, '', ' q', plain], """ +
        """'m': {'k\'1'=v\1, a b=NULL, 'c=d'='e, f'}, 's': [{'x': 'it\'s \\ q', 'b': \x00a}]}""" ->
        fields(
          items(
            text("it's"),
            text("a\\b"),
            text("x, y"),
            Literal.Null,
            text(""),
            text(" q"),
            text("plain"),
          ),
          entries(
            text("k'1") -> text("v\\1"),
            text("a b") -> Literal.Null,
            text("c=d") -> text("e, f"),
          ),
          items(fields(text("it's \\ q"), bytes(0, 97))),
        ),
    )
  }

  test("fields are found by name without regard to case, and missing ones take their default") {
    val column = struct(1, "s")(
      leaf(2, "A", "int32"),
      leaf(3, "b", "int32").copy(initialDefault = Some("7")),
      leaf(4, "c", "varchar"),
    )

    assertSql(column, "{'C': 'x', 'a': 1}" -> fields(whole(1), whole(7), text("x")))
  }

  test("a text that is not of the column's shape is refused with the reason") {
    val column = struct(1, "s")(leaf(2, "a", "int32"))

    assert(NestedText.parseSql("{'a': 1", column) == Left("',' expected at character 7"))
    assert(NestedText.parseSql("{'a': 'x'}", column) == Left("`x` is no int32"))
    assert(NestedText.parseSql("{'z': 1}", column) == Left("there is no field `z`"))
    assert(NestedText.parseSql("{'a': 1}}", column) == Left("text is left over at character 8"))
    assert(NestedText.parseCast("['a", listOf(1, "varchar")) == Left("a quote is not closed"))
    assert(NestedText.parseCast("1", listOf(1, "int32")) == Left("'[' expected at character 0"))
  }
}
