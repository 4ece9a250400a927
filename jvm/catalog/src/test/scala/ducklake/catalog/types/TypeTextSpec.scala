package ducklake.catalog.types

import org.scalatest.funsuite.AnyFunSuite

class TypeTextSpec extends AnyFunSuite {
  private val names = Vector(
    "boolean",
    "int8",
    "int16",
    "int32",
    "int64",
    "int128",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint128",
    "float32",
    "float64",
    "decimal(10,2)",
    "decimal(38,38)",
    "decimal(1,0)",
    "date",
    "time",
    "time_ns",
    "timetz",
    "timestamp",
    "timestamp_s",
    "timestamp_ms",
    "timestamp_ns",
    "timestamptz_ns",
    "null",
    "timestamptz",
    "interval",
    "varchar",
    "json",
    "blob",
    "uuid",
    "variant",
    "geometry",
    "point",
    "list",
    "struct",
    "map",
  )

  test("every type of the specification is read and written back as it was") {
    for (name <- names) {
      val lakeType = TypeText.parse(name)

      assert(!lakeType.isInstanceOf[LakeType.Unknown], name)
      assert(TypeText.print(lakeType) == name)
    }
  }

  test("letter case, blanks in a decimal and the alias of timestamp are accepted") {
    assert(TypeText.parse("BOOLEAN") == LakeType.Bool)
    assert(TypeText.parse("decimal( 10 , 2 )") == LakeType.Decimal(10, 2))
    assert(TypeText.parse("timestamp_us") == LakeType.Timestamp)
    assert(TypeText.parse("linestring") == LakeType.Geometry("linestring"))
  }

  test("a text that is no type is kept") {
    for (text <- Vector("unknown", "Hologram", "decimal", "decimal(39,0)", "decimal(5,6)", "")) {
      assert(TypeText.parse(text) == LakeType.Unknown(text))
      assert(TypeText.print(LakeType.Unknown(text)) == text)
    }
  }
}
