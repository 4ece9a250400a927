package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import ducklake.spark.types.SparkVariants
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.VariantType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.VariantBuilder

import java.math.BigDecimal
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/** Conversions for columns whose type was changed to variant: each value becomes a variant of the
  * value's type in the file.
  */
object VariantConversions {

  /** The conversion of a file's type; None for types that variants do not have. Its `bytes` gives
    * the variant's value; the variant's metadata is [[noKeys]].
    */
  def of(file: FileType, subject: ValueSubject): Option[Conversion] =
    append(file, subject).map(value)

  /** Appends values of a file's type to a variant; None for types that variants do not have. */
  def append(file: FileType, subject: ValueSubject): Option[Append] =
    file match {
      case FileType.Truth => Some((in, row, to) => to.appendBoolean(in.getBoolean(row)))
      case FileType.Whole(64, false) =>
        Some { (in, row, to) =>
          to.appendDecimal(new BigDecimal(NumberConversions.unsigned(in.getLong(row))))
        }
      case whole: FileType.Whole =>
        val reads = NumberConversions.integer(whole)
        Some((in, row, to) => to.appendLong(reads(in, row)))
      case FileType.Single => Some((in, row, to) => to.appendFloat(in.getFloat(row)))
      case FileType.Double => Some((in, row, to) => to.appendDouble(in.getDouble(row)))
      case FileType.Decimal(precision, scale) =>
        Some { (in, row, to) =>
          to.appendDecimal(in.getDecimal(row, precision, scale).toJavaBigDecimal)
        }
      case FileType.Text =>
        Some((in, row, to) => to.appendString(new String(in.getBinary(row), UTF_8)))
      case FileType.Bytes => Some((in, row, to) => to.appendBinary(in.getBinary(row)))
      case FileType.Uuid =>
        Some { (in, row, to) =>
          val bits = ByteBuffer.wrap(in.getBinary(row))
          to.appendUuid(new UUID(bits.getLong, bits.getLong))
        }
      case FileType.Date => Some((in, row, to) => to.appendDate(in.getInt(row)))
      case FileType.Time(TimeUnit.MICROS) =>
        Some((in, row, to) => to.appendString(SparkVariants.clock(in.getLong(row))))
      case FileType.Timestamp(unit, isInstant) =>
        // nanoseconds, if any, are cut off as in columns of timestamp_ns
        val micros = TimeConversions.timestamp(unit, LakeType.TimestampNs, subject)
        Some { (in, row, to) =>
          if (isInstant) to.appendTimestamp(micros.long(in, row))
          else to.appendTimestampNtz(micros.long(in, row))
        }
      case _ => None
    }

  /** Appends one value of a column to a variant. */
  trait Append {
    def apply(in: ColumnVector, row: Int, to: VariantBuilder): Unit
  }

  private def value(append: Append): Conversion = new Conversion {
    override def bytes(in: ColumnVector, row: Int): Array[Byte] = {
      val builder = new VariantBuilder(false)
      append(in, row, builder)
      builder.result().getValue
    }
  }

  /** The metadata of a variant without field names: version 1, no names. */
  val noKeys: Conversion = new Conversion {
    override def bytes(in: ColumnVector, row: Int): Array[Byte] = Array[Byte](1, 0, 0)
  }
}

/** A variant vector over the vector of a column of another type. */
final class VariantVector(below: ColumnVector, values: Conversion)
    extends NullSharingVector(VariantType, below) {

  private val value = new ConvertedVector(BinaryType, below, values)
  private val metadata = new ConvertedVector(BinaryType, below, VariantConversions.noKeys)

  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
}
