package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.spark.sparkapi.sql.TimeOfDay
import org.apache.spark.sql.types.*

/** The Spark type of each DuckLake type, by jvm/docs/types.md. */
object SparkTypes {

  /** The Spark type of `time` columns. TIME is used only in sessions where Spark's type TIME is
    * enabled.
    */
  sealed trait TimeRule

  object TimeRule {
    case object AsString extends TimeRule
    case object AsTime extends TimeRule

    def of(hasTimeType: Boolean): TimeRule = if (hasTimeType) AsTime else AsString
  }

  /** The Spark type of a column. A column of a type that this version does not know is shown as
    * BINARY, and a query that selects it is refused: see [[unreadable]].
    */
  def of(column: Column, rule: TimeRule): DataType =
    column.dataType match {
      case LakeType.ListType =>
        ArrayType(of(column.children.head, rule), containsNull = true)
      case LakeType.MapType =>
        MapType(
          of(column.children.head, rule),
          of(column.children(1), rule),
          valueContainsNull = true,
        )
      case LakeType.StructType =>
        StructType(
          column.children.map(c => StructField(c.name, of(c, rule), nullable = true)).toArray
        )
      case primitive: LakeType.Primitive => ofPrimitive(primitive, rule)
    }

  /** The texts of types in this column that this version does not know; empty when the column can
    * be read.
    */
  def unreadable(column: Column): Vector[String] =
    column.dataType match {
      case LakeType.Unknown(text) => Vector(text)
      case _ => column.children.flatMap(unreadable)
    }

  /** Whether values of the column compare, sort or print differently in Spark and in the lake,
    * because Spark has no type for them: an INTERVAL is a text, and nanoseconds are cut off.
    */
  def isConverted(column: Column): Boolean =
    column.dataType match {
      case LakeType.Time | LakeType.TimeNs | LakeType.TimeTz | LakeType.Interval => true
      case LakeType.TimestampNs | LakeType.TimestampTzNs => true
      case LakeType.Uuid | LakeType.Json | LakeType.Variant | LakeType.NullType => true
      case _: LakeType.Geometry | _: LakeType.Unknown => true
      case _ => column.children.exists(isConverted)
    }

  /** Whether the column holds unsigned integers, which DuckDB's arithmetic keeps unsigned. */
  def isUnsigned(column: Column): Boolean =
    column.dataType match {
      case LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 => true
      case LakeType.UInt128 => true
      case _ => column.children.exists(isUnsigned)
    }

  private def ofPrimitive(primitive: LakeType.Primitive, rule: TimeRule): DataType =
    primitive match {
      case LakeType.Bool => BooleanType
      case LakeType.Int8 => ByteType
      case LakeType.Int16 => ShortType
      case LakeType.Int32 => IntegerType
      case LakeType.Int64 => LongType
      case LakeType.UInt8 => ShortType
      case LakeType.UInt16 => IntegerType
      case LakeType.UInt32 => LongType
      case LakeType.UInt64 => DecimalType(20, 0)
      case LakeType.Int128 | LakeType.UInt128 => DecimalType(38, 0)
      case LakeType.Float32 => FloatType
      case LakeType.Float64 => DoubleType
      case LakeType.Decimal(precision, scale) => DecimalType(precision, scale)
      case LakeType.Date => DateType
      case LakeType.Time =>
        rule match {
          case TimeRule.AsString => StringType
          case TimeRule.AsTime => TimeOfDay.micros
        }
      case LakeType.TimeNs | LakeType.TimeTz | LakeType.Interval => StringType
      case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs =>
        TimestampNTZType
      case LakeType.TimestampTz | LakeType.TimestampTzNs => TimestampType
      case LakeType.Varchar | LakeType.Json | LakeType.Uuid => StringType
      case LakeType.Blob | LakeType.Geometry(_) => BinaryType
      case LakeType.Variant => VariantType
      case LakeType.NullType => NullType
      case LakeType.Unknown(_) => BinaryType
    }
}
