package ducklake.spark.functions

import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.spark.partitioning.EpochFunction
import ducklake.spark.partitioning.OrdinalKey
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import org.scalatest.funsuite.AnyFunSuite

class OrdinalKeySpec extends AnyFunSuite {

  private def key(unit: Transform.Calendar, lakeType: LakeType.Primitive, dataType: DataType) =
    new OrdinalKey(unit, lakeType, dataType)

  test("dates and microseconds become ordinals, rounded down") {
    val date = Transform.units.map(key(_, LakeType.Date, DateType).invoke(-1))
    val micros = Transform.units.map(key(_, LakeType.TimestampTz, TimestampType).invoke(-1L))
    val hour = key(Transform.Hour, LakeType.Timestamp, TimestampNTZType)

    assert(date == Vector(-1L, -1L, -1L, -24L))
    assert(micros == Vector(-1L, -1L, -1L, -1L))
    assert(hour.invoke(3600000000L * 5 - 1) == 4L)
    assert(hour.invoke(Long.MaxValue - 1) == 2562047788L)
    assert(key(Transform.Hour, LakeType.Date, DateType).invoke(Int.MaxValue - 1) == 51539607504L)
  }

  test("values that a type rounds are rounded first") {
    val micros = 3600000000L * 5 - 1
    val rounded = Vector(LakeType.TimestampS, LakeType.TimestampMs)

    rounded.foreach { lakeType =>
      assert(key(Transform.Hour, lakeType, TimestampNTZType).invoke(micros) == 5L)
    }
    assert(key(Transform.Hour, LakeType.TimestampNs, TimestampNTZType).invoke(micros) == 4L)
  }

  test("functions of the catalog give the same ordinals") {
    def result(unit: Transform.Calendar, dataType: DataType, value: Any): Any =
      new EpochFunction(unit).bind(new StructType().add("c", dataType)) match {
        case bound: ScalarFunction[?] => bound.produceResult(InternalRow(value))
        case other => fail(other.toString)
      }

    assert(Transform.units.map(result(_, DateType, -1)) == Vector(-1L, -1L, -1L, -24L))
    assert(Transform.units.map(result(_, TimestampType, -1L)) == Vector(-1L, -1L, -1L, -1L))
    assert(result(Transform.Hour, TimestampNTZType, 3600000000L * 5 - 1) == 4L)
    assert(Option(result(Transform.Day, DateType, Int.MaxValue)).isEmpty)
    assert(Option(result(Transform.Day, DateType, null)).isEmpty)
    assert(
      EpochFunction.all
        .map(_.name()) == Vector("epoch_year", "epoch_month", "epoch_day", "epoch_hour")
    )
    intercept[UnsupportedOperationException](result(Transform.Day, IntegerType, 1)): Unit
  }

  test("NULL and infinite values stand before all ordinals") {
    val nothing = new GenericInternalRow(Array[Any](null))
    val hour = key(Transform.Hour, LakeType.Date, DateType)

    assert(hour.produceResult(nothing) == Long.MinValue)
    assert(hour.invoke(Int.MaxValue) == Long.MinValue)
    assert(
      key(Transform.Day, LakeType.Timestamp, TimestampNTZType).invoke(
        -Long.MaxValue
      ) == Long.MinValue
    )
  }
}
