package ducklake.catalog.types

import ducklake.catalog.types.DefaultTerm.Cast
import ducklake.catalog.types.DefaultTerm.Constant
import ducklake.catalog.types.DefaultTerm.Moment
import ducklake.catalog.types.DefaultTerm.MomentKind
import ducklake.catalog.types.DefaultTerm.Negated
import ducklake.catalog.types.DefaultTerm.Operation
import org.scalatest.funsuite.AnyFunSuite

class DefaultTermSpec extends AnyFunSuite {

  private val one = Constant(Literal.Integral(1), LakeType.Int32)
  private val text = Constant(Literal.Text("it's"), LakeType.Varchar)
  private val flag = Constant(Literal.Bool(value = true), LakeType.Bool)
  private val day = Constant(Literal.Date(18262), LakeType.Date)

  test("numbers and texts are stored as they are, all else is an expression") {
    assert(DefaultTerm.literalText(one).contains("1"))
    assert(DefaultTerm.literalText(text).contains("it's"))
    assert(DefaultTerm.literalText(flag).isEmpty && DefaultTerm.literalText(day).isEmpty)
    assert(DefaultTerm.literalText(Moment(MomentKind.Date)).isEmpty)
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
      assert(DefaultTerm.print(term).contains(expected), term.toString)
    }
  }

  test("the text NULL is an expression, for as a literal it would be no default") {
    val word = Constant(Literal.Text("NULL"), LakeType.Varchar)

    assert(DefaultTerm.literalText(word).isEmpty)
    assert(DefaultTerm.print(word).contains("CAST('NULL' AS VARCHAR)"))
  }
}
