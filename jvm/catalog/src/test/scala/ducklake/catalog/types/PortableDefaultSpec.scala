package ducklake.catalog.types

import ducklake.catalog.types.PortableDefault.Cast
import ducklake.catalog.types.PortableDefault.Constant
import ducklake.catalog.types.PortableDefault.Moment
import ducklake.catalog.types.PortableDefault.MomentKind
import ducklake.catalog.types.PortableDefault.Negated
import ducklake.catalog.types.PortableDefault.Operation
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
}
