package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import org.apache.spark.sql.types.*
import org.scalatest.funsuite.AnyFunSuite

class TextLengthsSpec extends AnyFunSuite {

  private def column(id: Long, name: String, lakeType: LakeType, children: Column*): Column =
    Column(ColumnId(id), name, lakeType, nullsAllowed = true, None, None, None, children.toVector)

  private val text = column(1, "v", LakeType.Varchar)
  private val map = column(
    2,
    "m",
    LakeType.MapType,
    column(3, "key", LakeType.Varchar),
    column(4, "value", LakeType.ListType, column(5, "element", LakeType.Varchar)),
  )
  private val mapType = MapType(VarcharType(2), ArrayType(CharType(3)))
  private val both = TextLengths.ofNew(Vector(text, map), Seq(VarcharType(10), mapType))

  test("lengths of all parts are kept by column id, and read back") {
    val tags = both.tagged(Map("own" -> "x"), Vector(text, map))

    assert(tags == Map("own" -> "x", TextLengths.Tag -> "1=varchar(10),3=varchar(2),5=char(3)"))
    assert(TextLengths.of(tags) == both)
    assert(both.applied(text, StringType) == VarcharType(10))
    assert(both.applied(map, MapType(StringType, ArrayType(StringType))) == mapType)
  }

  test("lengths of columns that are not there, or are no texts, do not count") {
    val number = column(1, "v", LakeType.Int32)

    assert(both.applied(number, IntegerType) == IntegerType)
    assert(both.tagged(Map.empty, Vector(text)) == Map(TextLengths.Tag -> "1=varchar(10)"))
    assert(both.tagged(Map(TextLengths.Tag -> "7=char(1)"), Vector.empty) == Map.empty)
  }

  test("a column that is declared again has the new length, or none") {
    assert(both.declared(text, CharType(2)).types(ColumnId(1)) == CharType(2))
    assert(!both.declared(text, StringType).types.contains(ColumnId(1)))
  }

  test("columns with other ids keep their lengths") {
    val other = column(9, "v", LakeType.Varchar)

    assert(
      TextLengths.moved(both, Vector(text), Vector(other)).types == Map(
        ColumnId(9) -> VarcharType(10)
      )
    )
  }

  test("what others put into the tag is left out") {
    val tags =
      Map(TextLengths.Tag -> "x, 1 = varchar(2),2=char(0),3=varchar(99999999999),4=char(2)")

    assert(TextLengths.of(tags).types == Map(ColumnId(4) -> CharType(2)))
  }
}
