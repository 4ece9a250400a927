package ducklake.spark.moving.iceberg

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.types.SparkValues
import org.apache.iceberg.data.Record
import org.apache.iceberg.util.DateTimeUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType

import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime

import scala.jdk.CollectionConverters.CollectionHasAsScala
import scala.jdk.CollectionConverters.MapHasAsScala

/** Values of Iceberg's generic reader in Spark's internal form. */
private[iceberg] object IcebergRecords {

  /** @param value null for NULL */
  def internal(value: Any, column: Column, shown: DataType): Any = (value, shown) match {
    case (null, _) => null
    case (record: Record, struct: StructType) =>
      InternalRow.fromSeq(column.children.zipWithIndex.map { case (child, at) =>
        internal(record.get(at), child, struct(at).dataType)
      })
    case (items: java.util.List[?], ArrayType(element, _)) =>
      all(items.asScala, column.children.head, element)
    case (entries: java.util.Map[?, ?], MapType(keyType, valueType, _)) =>
      val found = entries.asScala.toVector
      new ArrayBasedMapData(
        all(found.map(_._1), column.children.head, keyType),
        all(found.map(_._2), column.children(1), valueType),
      )
    case (float: java.lang.Float, _) => float.floatValue
    case (double: java.lang.Double, _) => double.doubleValue
    case (other: Object, _) => scalar(other, column, shown)
    case (other, _) => throw unknown(other, column)
  }

  private def all(items: Iterable[?], column: Column, shown: DataType): GenericArrayData =
    new GenericArrayData(items.iterator.map(internal(_, column, shown)).toArray[Any])

  private def scalar(value: Object, column: Column, shown: DataType): Any = {
    val lakeType = column.dataType match {
      case known: LakeType.Primitive => known
      case _: LakeType.Nested => throw unknown(value, column)
    }
    val literal = (value, lakeType) match {
      case (day: LocalDate, _) => Some(Literal.Date(DateTimeUtil.daysFromDate(day)))
      case (clock: LocalTime, _) => Some(Literal.Time(DateTimeUtil.microsFromTime(clock)))
      case (local: LocalDateTime, LakeType.TimestampNs) =>
        Some(Literal.Timestamp(DateTimeUtil.nanosFromTimestamp(local)))
      case (local: LocalDateTime, _) =>
        Some(Literal.Timestamp(DateTimeUtil.microsFromTimestamp(local)))
      case (instant: OffsetDateTime, _) =>
        Some(Literal.Timestamp(DateTimeUtil.microsFromTimestamptz(instant)))
      case (other, known) => IcebergValues.literal(other, known)
    }
    SparkValues.internal(literal.getOrElse(throw unknown(value, column)), column, shown)
  }

  private def unknown(value: Any, column: Column): IllegalArgumentException =
    new IllegalArgumentException(
      s"column ${column.name} has a value of the class ${value.getClass.getName}"
    )
}
