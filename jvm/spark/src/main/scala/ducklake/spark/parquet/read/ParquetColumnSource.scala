package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import ducklake.spark.parquet.vector.Conversion
import ducklake.spark.parquet.vector.Conversions
import ducklake.spark.parquet.vector.FileType
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.LogicalTypeAnnotation.timestampType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types.*

/** How one Parquet column is read as one DuckLake type.
  *
  * Spark's reader refuses some of DuckDB's encodings and reads others wrongly. So the type that
  * fits the file is requested from the reader, and its values are converted here.
  *
  * @param stored the column's type in the schema that Spark's reader receives: the file's own type,
  *   or the type with another annotation where the reader would fail on the file's annotation
  * @param readAs the type that is requested from the reader
  * @param conversion conversion of the reader's values; None: the reader's vector is the result
  */
final case class ParquetColumnSource(
    stored: PrimitiveType,
    readAs: DataType,
    conversion: Option[Conversion],
)

object ParquetColumnSource {

  /** How a column is read.
    *
    * @param file the column's type in the file
    * @param wanted the DuckLake type of the table's column
    * @param shown Spark's type for it
    * @param subject the column, for messages
    * @return None when a column of this type in the file is never read as the wanted type
    */
  def of(
      stored: PrimitiveType,
      file: FileType,
      wanted: LakeType.Primitive,
      shown: DataType,
      subject: ValueSubject,
  ): Option[ParquetColumnSource] = {
    val direct = ParquetColumnSource(stored, shown, None)
    def raw(conversion: Conversion) =
      ParquetColumnSource(plain(stored), physical(stored), Some(conversion))
    (file, wanted) match {
      case (FileType.Nothing, _) => Some(raw(Conversions.nothing))
      case (FileType.Truth, LakeType.Bool) => Some(direct)
      case (FileType.Single, LakeType.Float32 | LakeType.Float64) => Some(direct)
      case (FileType.Double, LakeType.Float64) => Some(direct)
      case (whole: FileType.Whole, _) if isDirect(whole, wanted, shown) => Some(direct)
      case (FileType.Decimal(p, s), LakeType.Decimal(precision, scale))
          if p == precision && s == scale =>
        Some(direct)
      case (FileType.Date, LakeType.Date) => Some(direct)
      case (FileType.Timestamp(TimeUnit.MICROS, _), LakeType.Timestamp | LakeType.TimestampTz) =>
        Some(direct.copy(stored = asMicros(stored, shown)))
      case (
            FileType.Text,
            LakeType.Varchar | LakeType.Json | LakeType.Uuid | LakeType.Blob | LakeType.Interval |
            LakeType.TimeTz,
          ) =>
        Some(direct.copy(stored = plain(stored)))
      case (FileType.Bytes, LakeType.Blob) => Some(direct.copy(stored = plain(stored)))
      case (FileType.Int96, _) if isTimestamp(shown) && !isCoarse(wanted) => Some(direct)
      case _ => Conversions.of(file, wanted, shown, subject).map(numberOr(stored, file, raw))
    }
  }

  /** Whether Spark's reader can read the number without conversion. An unsigned number needs a
    * wider Spark type, except UINT64, which the reader reads as a decimal.
    */
  private def isDirect(
      file: FileType.Whole,
      wanted: LakeType.Primitive,
      shown: DataType,
  ): Boolean = {
    val room = shown match {
      case ByteType => 8
      case ShortType => 16
      case IntegerType => 32
      case LongType => 64
      case _ => 0
    }
    val isUnsignedTarget = wanted match {
      case LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 => true
      case _ => false
    }
    if (file.isSigned) file.bits <= room && !isUnsignedTarget
    else if (file.bits == 64) wanted == LakeType.UInt64
    else file.bits < room
  }

  private def numberOr(
      stored: PrimitiveType,
      file: FileType,
      raw: Conversion => ParquetColumnSource,
  )(
      conversion: Conversion
  ): ParquetColumnSource =
    file match {
      case FileType.Whole(32, false) => ParquetColumnSource(stored, LongType, Some(conversion))
      case FileType.Decimal(p, s) =>
        ParquetColumnSource(stored, DecimalType(p, s), Some(conversion))
      case FileType.Int96 => ParquetColumnSource(stored, TimestampNTZType, Some(conversion))
      case _ => raw(conversion)
    }

  /** Whether the type has fewer digits than Spark's timestamps. */
  private def isCoarse(wanted: LakeType.Primitive): Boolean =
    wanted == LakeType.TimestampS || wanted == LakeType.TimestampMs

  private def isTimestamp(shown: DataType): Boolean =
    shown == TimestampNTZType || shown == TimestampType

  /** The type with the flag "adjusted to UTC" of the requested Spark type: the reader refuses to
    * read instants as local times.
    */
  private def asMicros(stored: PrimitiveType, shown: DataType): PrimitiveType =
    stored.withLogicalTypeAnnotation(timestampType(shown == TimestampType, TimeUnit.MICROS))

  /** The column's type without annotation. */
  def plain(stored: PrimitiveType): PrimitiveType = {
    val builder = Types.primitive(stored.getPrimitiveTypeName, stored.getRepetition)
    val sized =
      if (stored.getPrimitiveTypeName == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)
        builder.length(stored.getTypeLength)
      else builder
    Option(stored.getId).fold(sized)(id => sized.id(id.intValue)).named(stored.getName)
  }

  /** The Spark type that the reader gives for a column without annotation. */
  def physical(stored: PrimitiveType): DataType =
    stored.getPrimitiveTypeName match {
      case PrimitiveTypeName.BOOLEAN => BooleanType
      case PrimitiveTypeName.INT32 => IntegerType
      case PrimitiveTypeName.INT64 => LongType
      case PrimitiveTypeName.INT96 => TimestampNTZType
      case PrimitiveTypeName.FLOAT => FloatType
      case PrimitiveTypeName.DOUBLE => DoubleType
      case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY => BinaryType
    }
}
