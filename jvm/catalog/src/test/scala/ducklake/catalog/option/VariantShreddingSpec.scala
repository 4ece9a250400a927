package ducklake.catalog.option

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.ShreddedType
import ducklake.catalog.types.ShreddedType.Fields
import ducklake.catalog.types.ShreddedType.Items
import ducklake.catalog.types.ShreddedType.Value
import ducklake.catalog.types.ShreddedType.Whole
import org.scalatest.funsuite.AnyFunSuite

class VariantShreddingSpec extends AnyFunSuite {

  private def only(shredded: String): Either[String, ShreddedType] =
    VariantShredding.of(s"v=$shredded").map(_.columns("v"))

  test("types are those of DuckDB's SQL") {
    val whole = Value(LakeType.Int64)
    val known = Vector(
      "BIGINT" -> whole,
      " bigint [] " -> Items(whole),
      "int8[][]" -> Items(Items(whole)),
      "decimal( 9 , 2 )" -> Value(LakeType.Decimal(9, 2)),
      "TIMESTAMP WITH TIME ZONE" -> Value(LakeType.TimestampTz),
      "TEXT" -> Value(LakeType.Varchar),
      "NULL" -> Whole,
      "STRUCT(n BIGINT, \"a \"\"b\" VARIANT, l STRUCT(x DATE)[])" -> Fields(
        Vector(
          "n" -> whole,
          "a \"b" -> Whole,
          "l" -> Items(Fields(Vector("x" -> Value(LakeType.Date)))),
        )
      ),
    )
    known.foreach { case (text, expected) => assert(only(text) == Right(expected), text) }
  }

  test("what a variant cannot hold is refused") {
    Vector(
      "",
      "HUGEINT",
      "UINTEGER",
      "INTERVAL",
      "TIMESTAMP_S",
      "MAP(VARCHAR, BIGINT)",
      "BIGINT[3]",
      "STRUCT()",
      "STRUCT(a)",
      "STRUCT(a INT, A INT)",
      "BIGINT, x",
      "nothing",
    ).foreach(text => assert(only(text).isLeft, text))
  }

  test("lines name columns, once each") {
    val two = VariantShredding.of("V=BIGINT\r\n\nw=STRUCT(\"=\" DATE)\n").map(_.columns.keySet)
    assert(two == Right(Set("v", "w")))
    assert(VariantShredding.of("").map(_.columns) == Right(Map.empty))
    assert(VariantShredding.of("v=VARIANT").map(_.columns) == Right(Map.empty))
    Vector("v", "=BIGINT", "v=BIGINT\nV=DATE").foreach { text =>
      assert(VariantShredding.of(text).isLeft, text)
    }
  }
}
