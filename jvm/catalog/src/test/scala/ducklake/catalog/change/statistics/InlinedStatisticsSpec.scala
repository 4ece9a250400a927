package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Literal.*
import org.scalatest.funsuite.AnyFunSuite

/** What is said of rows that go to the catalog is true of each of them. */
class InlinedStatisticsSpec extends AnyFunSuite {

  private def column(id: Long, lakeType: LakeType, children: Column*): Column =
    Column(ColumnId(id), s"c$id", lakeType, true, None, None, None, children.toVector)

  private def of(column: Column, values: Literal*): Map[Long, ColumnStatistics] =
    InlinedStatistics.of(Vector(column), values.map(Vector(_)).toVector).map {
      case (id, statistics) => id.value -> statistics
    }

  test("bounds go by value, NULL counts apart") {
    val found = of(column(1, LakeType.Int32), Integral(10), Null, Integral(9))(1)
    assert(found.min.contains(Integral(9)) && found.max.contains(Integral(10)))
    assert(found.valueCount.contains(2L) && found.nullCount.contains(1L))
  }

  test("NaN is recorded and is no bound") {
    val found = of(column(1, LakeType.Float64), Floating(2), Floating(Double.NaN))(1)
    assert(found.min.contains(Floating(2)) && found.max.contains(Floating(2)))
    assert(found.containsNan.contains(true))
  }

  test("NULL alone leaves no bounds and no value") {
    val found = of(column(1, LakeType.Varchar), Null, Null)(1)
    assert(found.min.isEmpty && found.max.isEmpty && found.valueCount.contains(0L))
  }

  test("parts of nested values have statistics; what is not there counts as NULL") {
    val list = column(1, LakeType.ListType, column(2, LakeType.Int64))
    val lists = of(list, ListValue(Vector(Integral(3), Integral(1))), ListValue(Vector.empty), Null)
    assert(lists.keySet == Set(2L))
    assert(lists(2).min.contains(Integral(1)) && lists(2).max.contains(Integral(3)))
    assert(lists(2).nullCount.contains(2L))

    val map =
      column(1, LakeType.MapType, column(2, LakeType.Varchar), column(3, LakeType.Int32))
    val maps = of(map, MapValue(Vector(Text("k") -> Integral(5), Text("a") -> Null)))
    assert(maps(2).min.contains(Text("a")) && maps(2).nullCount.contains(0L))
    assert(maps(3).max.contains(Integral(5)) && maps(3).nullCount.contains(1L))

    val struct = column(1, LakeType.StructType, column(8, LakeType.Int32), list)
    val structs = of(struct, StructValue(Vector(Integral(7), Null)), Null)
    assert(structs(2).nullCount.contains(2L))
    assert(structs(8).min.contains(Integral(7)) && structs(8).nullCount.contains(1L))
  }
}
