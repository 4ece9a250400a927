package ducklake.spark.moving.out.iceberg

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import org.apache.iceberg.Schema
import org.apache.iceberg.types.Type
import org.apache.iceberg.types.TypeUtil
import org.apache.iceberg.types.Types

import scala.jdk.CollectionConverters.SeqHasAsJava

/** Columns of a lake as columns of Iceberg, with their column ids as field ids. All may be NULL for a
  * reader, because older files may lack a column.
  *
  * Source: Iceberg's specification, "Primitive Types".
  */
private[iceberg] final class IcebergTypes(format: IcebergFormat) {
  import LakeType.*

  /** Every column has a type that Iceberg has. */
  def schema(columns: Vector[Column]): Schema = new Schema(columns.map(field).asJava)

  /** None for a type that Iceberg does not have, or whose values in files its readers do not read. */
  def of(lakeType: Primitive): Option[Type.PrimitiveType] = lakeType match {
    case Bool => Some(Types.BooleanType.get)
    case Int8 | Int16 | Int32 => Some(Types.IntegerType.get)
    case Int64 => Some(Types.LongType.get)
    case Float32 => Some(Types.FloatType.get)
    case Float64 => Some(Types.DoubleType.get)
    case Decimal(precision, scale) => Some(Types.DecimalType.of(precision, scale))
    case Date => Some(Types.DateType.get)
    case Time => Some(Types.TimeType.get)
    case Timestamp | TimestampS | TimestampMs => Some(Types.TimestampType.withoutZone)
    case TimestampTz => Some(Types.TimestampType.withZone)
    case Varchar | Json => Some(Types.StringType.get)
    case Blob => Some(Types.BinaryType.get)
    case Uuid => Some(Types.UUIDType.get)
    case TimestampNs if format == IcebergFormat.Third => Some(Types.TimestampNanoType.withoutZone)
    case UInt8 | UInt16 | UInt32 | UInt64 | Int128 | UInt128 | TimeNs | TimeTz | TimestampNs |
        TimestampTzNs | Interval | Variant | Geometry(_) | NullType | Unknown(_) =>
      None
  }

  /** Whether readers take values of one type in files for values of the other. */
  def fits(stored: Type.PrimitiveType, shown: Type.PrimitiveType): Boolean =
    TypeUtil.isPromotionAllowed(stored, shown)

  private def field(column: Column): Types.NestedField =
    Types.NestedField.optional(
      Math.toIntExact(column.id.value),
      column.name,
      typeOf(column),
      column.comment.orNull,
    )

  private def typeOf(column: Column): Type = column.dataType match {
    case leaf: Primitive => of(leaf).getOrElse(Types.UnknownType.get)
    case StructType => Types.StructType.of(column.children.map(field).asJava)
    case ListType => Types.ListType.ofOptional(id(column, 0), typeOf(column.children(0)))
    case MapType =>
      val (key, value) = (typeOf(column.children(0)), typeOf(column.children(1)))
      Types.MapType.ofOptional(id(column, 0), id(column, 1), key, value)
  }

  private def id(column: Column, part: Int): Int =
    Math.toIntExact(column.children(part).id.value)
}
