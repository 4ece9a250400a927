package ducklake.spark.parquet.vector

import ducklake.files.parquet.LogicalTypes
import org.apache.parquet.schema.LogicalTypeAnnotation.*
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** The type of a Parquet column by its physical type and annotation. */
sealed trait FileType {

  /** Whether it is a timestamp in nanoseconds. */
  def isInNanos: Boolean = this match {
    case FileType.Timestamp(unit, _) => unit == TimeUnit.NANOS
    case _ => false
  }
}

object FileType {
  case object Truth extends FileType

  /** A whole number of 8 to 64 bits. Numbers of up to 32 bits are stored as INT32. */
  final case class Whole(bits: Int, isSigned: Boolean) extends FileType
  case object Single extends FileType
  case object Double extends FileType
  final case class Decimal(precision: Int, scale: Int) extends FileType

  /** Text, annotated as UTF-8. */
  case object Text extends FileType

  /** Bytes without annotation, or with an annotation that we do not use (geometry, BSON). */
  case object Bytes extends FileType
  case object Uuid extends FileType

  /** Months, days and milliseconds, each 4 bytes, little-endian. */
  case object Interval extends FileType
  case object Date extends FileType
  final case class Time(unit: TimeUnit) extends FileType

  /** @param isInstant whether the file records that the values are adjusted to UTC */
  final case class Timestamp(unit: TimeUnit, isInstant: Boolean) extends FileType
  case object Int96 extends FileType

  /** A column that holds only NULL; its physical type has no meaning. */
  case object Nothing extends FileType

  /** The number of ticks of a unit in a second. */
  def perSecond(unit: TimeUnit): Long =
    unit match {
      case TimeUnit.MILLIS => 1000L
      case TimeUnit.MICROS => 1000000L
      case TimeUnit.NANOS => 1000000000L
    }

  /** The type of a column. None for a combination that the Parquet specification does not have, or
    * that DuckDB cannot read.
    */
  def of(stored: PrimitiveType): Option[FileType] =
    (stored.getPrimitiveTypeName, Option(stored.getLogicalTypeAnnotation)) match {
      case (_, Some(meaning)) if LogicalTypes.isUnknown(meaning) => Some(Nothing)
      case (PrimitiveTypeName.BOOLEAN, None) => Some(Truth)
      case (PrimitiveTypeName.FLOAT, None) => Some(Single)
      case (PrimitiveTypeName.DOUBLE, None) => Some(Double)
      case (PrimitiveTypeName.INT96, None) => Some(Int96)
      case (_, Some(decimal: DecimalLogicalTypeAnnotation)) =>
        Some(Decimal(decimal.getPrecision, decimal.getScale))
      case (PrimitiveTypeName.INT32, annotation) => ofInt32(annotation)
      case (PrimitiveTypeName.INT64, annotation) => ofInt64(annotation)
      case (PrimitiveTypeName.BINARY, annotation) => ofBinary(annotation)
      case (PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, annotation) =>
        ofFixed(annotation, stored.getTypeLength)
      case _ => None
    }

  private type Annotation = Option[org.apache.parquet.schema.LogicalTypeAnnotation]

  private def ofInt32(annotation: Annotation): Option[FileType] =
    annotation match {
      case None => Some(Whole(32, isSigned = true))
      case Some(int: IntLogicalTypeAnnotation) => Some(Whole(int.getBitWidth, int.isSigned))
      case Some(_: DateLogicalTypeAnnotation) => Some(Date)
      case Some(time: TimeLogicalTypeAnnotation) => Some(Time(time.getUnit))
      case _ => None
    }

  private def ofInt64(annotation: Annotation): Option[FileType] =
    annotation match {
      case None => Some(Whole(64, isSigned = true))
      case Some(int: IntLogicalTypeAnnotation) => Some(Whole(int.getBitWidth, int.isSigned))
      case Some(time: TimeLogicalTypeAnnotation) => Some(Time(time.getUnit))
      case Some(timestamp: TimestampLogicalTypeAnnotation) =>
        Some(Timestamp(timestamp.getUnit, timestamp.isAdjustedToUTC))
      case _ => None
    }

  private def ofBinary(annotation: Annotation): Option[FileType] =
    annotation match {
      case Some(
            _: StringLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation |
            _: EnumLogicalTypeAnnotation
          ) =>
        Some(Text)
      case None | Some(_: BsonLogicalTypeAnnotation) => Some(Bytes)
      case Some(meaning) if LogicalTypes.isGeometry(meaning) || LogicalTypes.isGeography(meaning) =>
        Some(Bytes)
      case _ => None
    }

  private def ofFixed(annotation: Annotation, length: Int): Option[FileType] =
    annotation match {
      case None => Some(Bytes)
      case Some(_: UUIDLogicalTypeAnnotation) if length == 16 => Some(Uuid)
      case Some(_: IntervalLogicalTypeAnnotation) if length == 12 => Some(Interval)
      case _ => None
    }
}
