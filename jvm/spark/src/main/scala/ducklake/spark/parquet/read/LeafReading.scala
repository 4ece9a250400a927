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

/** How one Parquet column is read as one lake type.
  *
  * Spark's reader refuses some of DuckDB's encodings and garbles others, so it is asked for the type
  * that fits the file, and what it gives is converted here.
  *
  * @param stored the column as Spark's reader is to see it: the file's own, or with the annotation
  *   replaced where the reader would stumble over it
  * @param readAs what the reader is asked for
  * @param conversion None: the reader's vector is the result
  */
final case class LeafReading(
    stored: PrimitiveType,
    readAs: DataType,
    conversion: Option[Conversion],
)

object LeafReading {

  /** @param file what the column holds
    * @param wanted the lake's type
    * @param shown Spark's type for it
    * @param subject the column, for messages
    * @return None when a column of this kind is never read as this type
    */
  def of(
      stored: PrimitiveType,
      file: FileType,
      wanted: LakeType.Primitive,
      shown: DataType,
      subject: ValueSubject,
  ): Option[LeafReading] = {
    val direct = LeafReading(stored, shown, None)
    def raw(conversion: Conversion) =
      LeafReading(plain(stored), physical(stored), Some(conversion))
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
      case (FileType.Timestamp(TimeUnit.MICROS), LakeType.Timestamp | LakeType.TimestampTz) =>
        Some(direct.copy(stored = asMicros(stored, shown)))
      case (
            FileType.Text,
            LakeType.Varchar | LakeType.Json | LakeType.Uuid | LakeType.Blob | LakeType.Interval |
            LakeType.TimeTz,
          ) =>
        Some(direct.copy(stored = plain(stored)))
      case (FileType.Bytes, LakeType.Blob | LakeType.Geometry(_)) =>
        Some(direct.copy(stored = plain(stored)))
      case (FileType.Int96, _) if isTimestamp(shown) =>
        Some(LeafReading(stored, shown, None))
      case _ => Conversions.of(file, wanted, shown, subject).map(numberOr(stored, file, raw))
    }
  }

  /** Narrow unsigned numbers fill a wider INT32; an unsigned INT32 or INT64 needs its annotation. */
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

  private def numberOr(stored: PrimitiveType, file: FileType, raw: Conversion => LeafReading)(
      conversion: Conversion
  ): LeafReading =
    file match {
      case FileType.Whole(32, false) => LeafReading(stored, LongType, Some(conversion))
      case FileType.Decimal(p, s) => LeafReading(stored, DecimalType(p, s), Some(conversion))
      case FileType.Int96 => LeafReading(stored, TimestampNTZType, Some(conversion))
      case _ => raw(conversion)
    }

  private def isTimestamp(shown: DataType): Boolean =
    shown == TimestampNTZType || shown == TimestampType

  /** The reader refuses instants as local times, so the flag is made to fit what is asked. */
  private def asMicros(stored: PrimitiveType, shown: DataType): PrimitiveType =
    stored.withLogicalTypeAnnotation(timestampType(shown == TimestampType, TimeUnit.MICROS))

  /** The column without its annotation. */
  def plain(stored: PrimitiveType): PrimitiveType = {
    val builder = Types.primitive(stored.getPrimitiveTypeName, stored.getRepetition)
    val sized =
      if (stored.getPrimitiveTypeName == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)
        builder.length(stored.getTypeLength)
      else builder
    Option(stored.getId).fold(sized)(id => sized.id(id.intValue)).named(stored.getName)
  }

  /** What Spark's reader gives for a column without an annotation. */
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
