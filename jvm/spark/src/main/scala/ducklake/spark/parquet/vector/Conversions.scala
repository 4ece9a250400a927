package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import ducklake.spark.sparkapi.sql.TimeOfDay
import ducklake.spark.types.Geometries
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Finds the conversion from a file's type to a DuckLake type: all promotions that DuckDB makes,
  * and types that Spark's reader does not know.
  *
  * Source: format 11.2 and 12; DuckDB 1.5.5 for the values.
  */
object Conversions {

  /** For columns that hold only NULL. */
  val nothing: Conversion = new Conversion {
    override def long(in: ColumnVector, row: Int): Long = 0L
    override def float(in: ColumnVector, row: Int): Float = 0f
    override def double(in: ColumnVector, row: Int): Double = 0d
    override def decimal(in: ColumnVector, row: Int): Decimal = Decimal(0L)
    override def text(in: ColumnVector, row: Int): UTF8String = UTF8String.EMPTY_UTF8
    override def bytes(in: ColumnVector, row: Int): Array[Byte] = Array.emptyByteArray
  }

  /** The conversion; None when a file's type is never read as this type.
    *
    * @param wanted the DuckLake type of the table's column
    * @param shown Spark's type for it
    * @param subject the column, for messages
    */
  def of(
      file: FileType,
      wanted: LakeType.Primitive,
      shown: DataType,
      subject: ValueSubject,
  ): Option[Conversion] =
    (file, wanted) match {
      case (_, LakeType.Variant) => VariantConversions.of(file, subject)
      case (FileType.Time(unit), LakeType.Time) if TimeOfDay.unapply(shown) =>
        Some(TimeConversions.nanosOfDay(unit, subject))
      case (FileType.Time(unit), LakeType.Time | LakeType.TimeNs) =>
        Some(TimeConversions.clockText(unit, suffix = ""))
      case (FileType.Time(unit), LakeType.TimeTz) =>
        Some(TimeConversions.clockText(unit, suffix = "+00"))
      case (FileType.Timestamp(unit, _), _) if isTimestamp(wanted) =>
        Some(TimeConversions.timestamp(unit, wanted, subject))
      case (FileType.Int96, LakeType.TimestampS | LakeType.TimestampMs) =>
        Some(TimeConversions.timestamp(TimeUnit.MICROS, wanted, subject))
      case (FileType.Date, _) if isTimestamp(wanted) =>
        Some(TimeConversions.midnight(subject))
      case (FileType.Interval, LakeType.Interval) => Some(TextConversions.interval)
      case (FileType.Uuid, LakeType.Uuid | LakeType.Varchar) => Some(TextConversions.uuid)
      case (FileType.Bytes, LakeType.Varchar | LakeType.Json | LakeType.Uuid) =>
        Some(TextConversions.blob)
      case (FileType.Uuid, LakeType.Blob) => Some(TextConversions.sameBytes)
      case (FileType.Bytes, LakeType.Geometry(_)) => Some(geometry(subject))
      case (number, LakeType.Float32) => NumberConversions.real(number)
      case (number, LakeType.Float64) => NumberConversions.real(number)
      case (number, _) =>
        shown match {
          case decimal: DecimalType => NumberConversions.decimal(number, decimal, wanted, subject)
          case _ =>
            NumberConversions.range(wanted).flatMap(NumberConversions.whole(number, _, subject))
        }
    }

  private def geometry(subject: ValueSubject): Conversion = new Conversion {
    override def bytes(in: ColumnVector, row: Int): Array[Byte] =
      Geometries.checked(in.getBinary(row), subject)
  }

  private def isTimestamp(wanted: LakeType): Boolean =
    wanted match {
      case LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
          LakeType.TimestampTz | LakeType.TimestampTzNs =>
        true
      case _ => false
    }
}
