package ducklake.catalog.types.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.testkit.Columns.leaf
import ducklake.catalog.testkit.Columns.listOf
import ducklake.catalog.testkit.Columns.struct
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.Literal
import ducklake.catalog.types.expression.DefaultSql
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

/** The stored texts were recorded from `ducklake_column` of DuckDB 1.5.5. */
class DefaultsSpec extends AnyFunSuite {
  private def initial(typeText: String, text: String): Either[LakeError, Literal] =
    Defaults.initial(leaf(1, "c", typeText).copy(initialDefault = Some(text)))

  private def literal(column: Column, text: String): Option[String] =
    DefaultSql.of(column.copy(default = Some(ColumnDefault.LiteralText(text))))

  private def expression(typeText: String, text: String): Option[String] =
    DefaultSql.of(
      leaf(1, "c", typeText)
        .copy(default = Some(ColumnDefault.Expression(text, Some("duckdb"))))
    )

  test("initial defaults are cast to the column's type") {
    assert(initial("int32", "1000") == Right(Literal.Integral(1000)))
    assert(initial("varchar", "it's") == Right(Literal.Text("it's")))
    assert(initial("varchar", "") == Right(Literal.Text("")))
    assert(initial("blob", "\\x00ab") == Right(Literal.Bytes(ArraySeq[Byte](0, 97, 98))))
    assert(initial("boolean", "true") == Right(Literal.Bool(value = true)))
    assert(initial("interval", "1 day 25:00:00") == Right(Literal.Interval(0, 1, 90000000000L)))
    assert(initial("decimal(5,2)", "1.24") == Right(Literal.Dec(new java.math.BigDecimal("1.24"))))
  }

  test("no initial default is NULL, and so is the text NULL where it is no value") {
    assert(Defaults.initial(leaf(1, "c", "int32")) == Right(Literal.Null))
    assert(initial("int32", "NULL") == Right(Literal.Null))
    assert(initial("varchar", "NULL") == Right(Literal.Text("NULL")))
    assert(
      Defaults.initial(listOf(1, "int32").copy(initialDefault = Some("NULL"))) ==
        Right(Literal.Null)
    )
  }

  test("an initial default that is no value of the type is an error") {
    assert(initial("int32", "x").left.map(_.condition) == Left("DUCKLAKE_INVALID_VALUE"))
  }

  test("the text of a variant is a text, and that of a geometry is well-known text") {
    val metadata = ArraySeq[Byte](1, 0, 0)
    val text = ArraySeq[Byte](2 << 2 | 1, '4', '2')

    assert(initial("variant", "42") == Right(Literal.Variant(metadata, text)))
    assert(literal(leaf(1, "c", "variant"), "42").contains("CAST('42' AS VARIANT)"))
    assert(literal(leaf(1, "c", "geometry"), "POINT EMPTY").exists(_.startsWith("X'0101000000")))
    assert(literal(leaf(1, "c", "geometry"), "POINT").exists(_.startsWith("raise_error")))
    assert(initial("geometry", "POINT").left.exists(_.message.contains("well-known text")))
  }

  test("a nested initial default is read") {
    val column = listOf(1, "varchar").copy(initialDefault = Some("[a, NULL]"))

    assert(
      Defaults.initial(column) ==
        Right(Literal.ListValue(Vector(Literal.Text("a"), Literal.Null)))
    )
  }

  test("a literal default is a constant of the column's type") {
    val constants = Vector(
      ("int32", "1e3", "1000"),
      ("int8", "5", "5Y"),
      ("int64", "-9223372036854775808", "-9223372036854775808L"),
      ("uint64", "18446744073709551615", "18446744073709551615BD"),
      ("boolean", "yes", "TRUE"),
      ("float64", "1.50", "1.5D"),
      ("float64", "10000000000.0", "10000000000.0D"),
      ("float32", "inf", "CAST('Infinity' AS FLOAT)"),
      ("decimal(10,4)", "1.5", "1.5000BD"),
      ("varchar", "a'b\\c", "concat('a', chr(39), 'b', chr(92), 'c')"),
      ("varchar", "\n${x}\n", "concat(chr(10), '$', '{x}', chr(10))"),
      ("varchar", "'", "chr(39)"),
      ("varchar", "", "''"),
      ("json", "{\"a\":1}", "'{\"a\":1}'"),
      ("blob", "\\x00ab", "X'006162'"),
      ("date", "2024-1-5", "DATE '2024-01-05'"),
      ("date", "infinity", "date_from_unix_date(2147483647)"),
      ("timestamp", "2024-1-5", "TIMESTAMP_NTZ '2024-01-05 00:00:00'"),
      ("timestamp", "25000-06-15 01:02:03.5", "TIMESTAMP_NTZ '+25000-06-15 01:02:03.5'"),
      (
        "timestamp_ns",
        "2024-01-05 00:00:00.123456789",
        "TIMESTAMP_NTZ '2024-01-05 00:00:00.123456'",
      ),
      ("timestamptz", "2024-01-01 00:00:00+02", "TIMESTAMP '2023-12-31 22:00:00+00:00'"),
      ("timestamptz", "infinity", "TIMESTAMP '+294247-01-10 04:00:54.775807+00:00'"),
      ("time", "12:30", "'12:30:00'"),
      ("interval", "1 day 25 hours", "'1 day 25:00:00'"),
      ("uuid", "550E8400e29b41d4a716446655440000", "'550e8400-e29b-41d4-a716-446655440000'"),
    )

    for ((typeText, text, sql) <- constants)
      assert(literal(leaf(1, "c", typeText), text).contains(sql), s"$typeText $text")
  }

  test("an instant without an offset is in the time zone of the session") {
    val instants = Vector(
      "2024-1-5" -> "TIMESTAMP_LTZ '2024-01-05 00:00:00'",
      "2024-01-05 01:02:03.5" -> "TIMESTAMP_LTZ '2024-01-05 01:02:03.5'",
      "2024-01-05 00:00:00Z" -> "TIMESTAMP '2024-01-05 00:00:00+00:00'",
    )

    for ((text, sql) <- instants) {
      assert(literal(leaf(1, "c", "timestamptz"), text).contains(sql), text)
      val cast = s"CAST('$text' AS \"TIMESTAMP WITH TIME ZONE\")"
      assert(expression("timestamptz", cast).contains(sql), cast)
    }
    assert(initial("timestamptz", "1970-01-01 00:00:01") == Right(Literal.Timestamp(1000000)))
  }

  test("a time without an offset is known to DuckDB alone") {
    val text = "'only DuckDB knows the value of \\'12:00:00\\''"

    assert(literal(leaf(1, "c", "timetz"), "12:00:00").contains(s"raise_error($text)"))
    assert(literal(leaf(1, "c", "timetz"), "12:00:00+01").contains("'12:00:00+01'"))
    assert(
      expression("timetz", "CAST('12:00:00' AS \"TIME WITH TIME ZONE\")")
        .exists(_.startsWith("raise_error"))
    )
  }

  test("the text NULL is no default, and a text that is no value fails in Spark") {
    val error = "raise_error('only DuckDB knows the value of \\'it\\'\\'s\\'')"

    assert(literal(leaf(1, "c", "varchar"), "NULL").isEmpty)
    assert(DefaultSql.of(leaf(1, "c", "int32")).isEmpty)
    assert(literal(leaf(1, "c", "int32"), "it's").contains(error))
    assert(literal(leaf(1, "c", "int128"), "9" * 38).contains("9" * 38 + "BD"))
    assert(literal(leaf(1, "c", "int128"), "1" * 39).exists(_.startsWith("raise_error")))
  }

  test("a nested literal is built from constants") {
    val column = struct(1, "s")(leaf(2, "a", "int32"), listOf(3, "varchar"))

    assert(
      literal(column, "{'a': 1, 'l': [x, NULL]}")
        .contains("named_struct('a', 1, 'l', array('x', NULL))")
    )
  }

  test("expressions on the list are translated") {
    val translated = Vector(
      ("int32", "(1 + 2)", "(1 + 2)"),
      ("int32", "((3 * 4) - 1)", "((3 * 4) - 1)"),
      ("int8", "(1 + 1)", "CAST((1 + 1) AS TINYINT)"),
      ("varchar", "('a' || 'it''s')", "('a' || concat('it', chr(39), 's'))"),
      ("timestamptz", "now()", "current_timestamp()"),
      ("timestamptz", "get_current_timestamp()", "current_timestamp()"),
      ("timestamp", "CAST(now() AS TIMESTAMP)", "CAST(current_timestamp() AS TIMESTAMP_NTZ)"),
      ("date", "current_date", "current_date()"),
      ("date", "(current_date + 1)", "(current_date() + 1)"),
      ("date", "today()", "current_date()"),
      ("boolean", "CAST('t' AS BOOLEAN)", "TRUE"),
      ("date", "CAST('2020-01-01' AS \"DATE\")", "DATE '2020-01-01'"),
      (
        "timestamptz",
        "CAST('2020-01-01 00:00:00+00' AS \"TIMESTAMP WITH TIME ZONE\")",
        "TIMESTAMP '2020-01-01 00:00:00+00:00'",
      ),
      ("float64", "CAST('nan' AS \"DOUBLE\")", "CAST('NaN' AS DOUBLE)"),
      ("blob", "CAST('\\x00' AS \"BLOB\")", "X'00'"),
      ("interval", "CAST('1 day' AS INTERVAL)", "'1 day'"),
      ("int32", "CAST('7' AS INTEGER)", "7"),
      ("decimal(5,2)", "CAST(1 AS DECIMAL(5, 2))", "CAST(CAST(1 AS DECIMAL(5,2)) AS DECIMAL(5,2))"),
      ("float64", "pi()", "pi()"),
      ("int32", "CAST(NULL AS INTEGER)", "CAST(NULL AS INT)"),
      ("varchar", "CAST('2020-1-2' AS \"DATE\")", "'2020-01-02'"),
      ("varchar", "('a' || CAST('t' AS BOOLEAN))", "('a' || 'true')"),
    )

    for ((typeText, text, sql) <- translated)
      assert(expression(typeText, text).contains(sql), text)
  }

  test("a fraction that becomes an integer is rounded as DuckDB rounds it") {
    val rounded = Vector(
      ("int32", "CAST(2.5 AS INTEGER)", "CAST(round(2.5, 0) AS INT)"),
      ("int32", "(2.4 + 0.1)", "CAST(round((2.4 + 0.1), 0) AS INT)"),
      ("int32", "(7 / 2)", "CAST(rint((7 / 2)) AS INT)"),
      ("int16", "(7 / 2)", "CAST(rint((7 / 2)) AS SMALLINT)"),
      ("uint32", "(7 / 2)", "CAST(rint((7 / 2)) AS BIGINT)"),
      ("int64", "CAST(CAST(2.5 AS FLOAT) AS BIGINT)", "CAST(rint(CAST(2.5 AS FLOAT)) AS BIGINT)"),
    )

    for ((typeText, text, sql) <- rounded) assert(expression(typeText, text).contains(sql), text)
  }

  test("an expression of another kind is cast to the column's type") {
    val casts = Vector(
      ("date", "now()", "CAST(current_timestamp() AS DATE)"),
      ("timestamp_s", "now()", "CAST(current_timestamp() AS TIMESTAMP_NTZ)"),
      ("timestamptz", "current_date", "CAST(current_date() AS TIMESTAMP)"),
      ("float64", "(1.5 + 1)", "CAST((1.5 + 1) AS DOUBLE)"),
      ("float64", "(1 + 1)", "CAST((1 + 1) AS DOUBLE)"),
      ("int32", "CAST('t' AS BOOLEAN)", "CAST(TRUE AS INT)"),
      ("int32", "(3000000000 - 2999999999)", "CAST((3000000000 - 2999999999) AS INT)"),
      ("int64", "(1 + 1)", "(1 + 1)"),
      ("float64", "NULL", "NULL"),
      ("int8", "NULL", "NULL"),
    )

    for ((typeText, text, sql) <- casts) assert(expression(typeText, text).contains(sql), text)
  }

  test("decimals are divided as DOUBLE, and a DOUBLE becomes a decimal as in DuckDB") {
    assert(expression("float64", "(1.0 / 3)").contains("(CAST(1.0 AS DOUBLE) / 3)"))
    assert(
      expression("decimal(3,2)", "(2.01 / 2)").contains(
        "CAST(CAST(round(((CAST(2.01 AS DOUBLE) / 2)) * 1e2D, 0) AS DECIMAL(3,0)) * 0.01BD " +
          "AS DECIMAL(3,2))"
      )
    )
  }

  test("a number in a text is printed as DuckDB prints it") {
    assert(expression("varchar", "('a' || 1.50)").contains("('a' || '1.50')"))
    assert(expression("varchar", "('a' || .5)").contains("('a' || '.5')"))
    assert(expression("varchar", "(1 + 2)").contains("CAST((1 + 2) AS STRING)"))
  }

  test("every other expression fails in Spark where it is needed") {
    val others = Vector(
      "upper('abc')",
      "random()",
      "uuid()",
      "(7 // 2)",
      "(2 ^ 3)",
      "log(100)",
      "abs(-3)",
      "(1.0 / 3)",
      "(1.5 + 1)",
      "('a' || now())",
      "now()",
      "CAST((1 / 3) AS VARCHAR)",
      "(CAST(0.1 AS FLOAT) + 1)",
      "(1234567890123456.5 / 2)",
      "nextval('s')",
      "(current_date - current_date)",
      "(current_date - to_days(CAST(trunc(CAST(1 AS \"DOUBLE\")) AS INTEGER)))",
      "CASE  WHEN (CAST('t' AS BOOLEAN)) THEN ('x') ELSE 'y' END",
      "CAST('x' AS INTEGER)",
      "--2",
      "(1",
    )

    for (text <- others) {
      val quoted = text.replace("'", "\\'")
      val error = s"raise_error('only DuckDB knows the value of $quoted')"
      assert(expression("varchar", text).contains(error), text)
    }
  }

  test("Spark's own expressions are left alone") {
    val column = leaf(1, "c", "varchar")
      .copy(default = Some(ColumnDefault.Expression("now()", Some("spark"))))

    assert(DefaultSql.of(column).contains("now()"))
  }
}
