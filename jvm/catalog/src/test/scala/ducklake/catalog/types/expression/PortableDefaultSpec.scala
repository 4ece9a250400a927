package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.expression.PortableDefault.Cast
import ducklake.catalog.types.expression.PortableDefault.Constant
import ducklake.catalog.types.expression.PortableDefault.Moment
import ducklake.catalog.types.expression.PortableDefault.MomentKind
import ducklake.catalog.types.expression.PortableDefault.Negated
import ducklake.catalog.types.expression.PortableDefault.Operation
import org.scalatest.funsuite.AnyFunSuite

class PortableDefaultSpec extends AnyFunSuite {

  private val one = Constant(Literal.Integral(1), LakeType.Int32)
  private val text = Constant(Literal.Text("it's"), LakeType.Varchar)
  private val flag = Constant(Literal.Bool(value = true), LakeType.Bool)
  private val day = Constant(Literal.Date(18262), LakeType.Date)

  test("numbers and texts are stored as they are, all else is an expression") {
    assert(PortableDefault.literalText(one).contains("1"))
    assert(PortableDefault.literalText(text).contains("it's"))
    assert(PortableDefault.literalText(flag).isEmpty && PortableDefault.literalText(day).isEmpty)
    assert(PortableDefault.literalText(Moment(MomentKind.Date)).isEmpty)
  }

  test("expressions are spelt as DuckDB spells them") {
    val printed = Vector(
      flag -> "CAST('t' AS BOOLEAN)",
      day -> "CAST('2020-01-01' AS \"DATE\")",
      Operation(one, "+", one) -> "(1 + 1)",
      Operation(text, "||", text) -> "('it''s' || 'it''s')",
      Negated(Operation(one, "*", one)) -> "-((1 * 1))",
      Cast(one, LakeType.Decimal(10, 2)) -> "CAST(1 AS DECIMAL(10, 2))",
      Moment(MomentKind.Date) -> "current_date",
      Cast(Moment(MomentKind.Now), LakeType.Date) -> "CAST(now() AS \"DATE\")",
    )

    printed.foreach { case (term, expected) =>
      assert(PortableDefault.print(term).contains(expected), term.toString)
    }
  }

  test("the text NULL is an expression, for as a literal it would be no default") {
    val word = Constant(Literal.Text("NULL"), LakeType.Varchar)

    assert(PortableDefault.literalText(word).isEmpty)
    assert(PortableDefault.print(word).contains("CAST('NULL' AS VARCHAR)"))
  }

  private def number(digits: String): PortableDefault = {
    val value = new java.math.BigDecimal(digits)
    Constant(Literal.Dec(value), LakeType.Decimal(value.precision, value.scale))
  }

  test("an expression is the same in a column when no part differs between the engines") {
    val day = Moment(MomentKind.Date)
    val same = Vector(
      Operation(one, "+", one) -> LakeType.Int32,
      Operation(one, "/", one) -> LakeType.Float64,
      Operation(number("1.5"), "*", one) -> LakeType.Decimal(10, 2),
      Operation(text, "||", one) -> LakeType.Varchar,
      Operation(text, "||", day) -> LakeType.Varchar,
      Operation(day, "+", one) -> LakeType.Date,
      Cast(Moment(MomentKind.Now), LakeType.Date) -> LakeType.Date,
      Cast(number("1.5"), LakeType.Float64) -> LakeType.Float64,
    )
    val other = Vector(
      Operation(one, "/", one) -> LakeType.Int32,
      Operation(one, "/", one) -> LakeType.Decimal(3, 2),
      Operation(number("1.0"), "/", one) -> LakeType.Float64,
      Cast(number("2.7"), LakeType.Int32) -> LakeType.Float64,
      Cast(text, LakeType.Date) -> LakeType.Date,
      Operation(text, "||", number("1.5")) -> LakeType.Varchar,
      Operation(text, "||", Moment(MomentKind.Now)) -> LakeType.Varchar,
      Moment(MomentKind.Now) -> LakeType.Varchar,
      Operation(number("1.5"), "+", one) -> LakeType.Varchar,
    )

    same.foreach { case (term, to) => assert(PortableDefault.isSameIn(term, to), term.toString) }
    other.foreach { case (term, to) => assert(!PortableDefault.isSameIn(term, to), term.toString) }
  }

  test("a number whose text has another type in DuckDB is not printed within an expression") {
    val fraction = Constant(Literal.Floating(0.1), LakeType.Float64)
    val long = Constant(Literal.Integral(2147483647), LakeType.Int64)

    assert(!PortableDefault.isSameIn(Operation(fraction, "+", fraction), LakeType.Float64))
    assert(!PortableDefault.isSameIn(Operation(long, "+", one), LakeType.Int64))
  }
}
