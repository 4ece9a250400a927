package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.cast.DecimalCast
import ducklake.spark.errors.ValueSubject
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.vectorized.ColumnVector

import java.math.BigDecimal
import java.math.BigInteger
import java.math.RoundingMode

/** Conversions of a file's numbers to other number types. */
object NumberConversions {

  /** The smallest and the largest value of a type that Spark holds as a signed integer. */
  final case class Range(min: Long, max: Long)

  def range(wanted: LakeType): Option[Range] =
    wanted match {
      case LakeType.Int8 => Some(Range(Byte.MinValue.toLong, Byte.MaxValue.toLong))
      case LakeType.Int16 => Some(Range(Short.MinValue.toLong, Short.MaxValue.toLong))
      case LakeType.Int32 => Some(Range(Int.MinValue.toLong, Int.MaxValue.toLong))
      case LakeType.Int64 => Some(Range(Long.MinValue, Long.MaxValue))
      case LakeType.UInt8 => Some(Range(0L, 255L))
      case LakeType.UInt16 => Some(Range(0L, 65535L))
      case LakeType.UInt32 => Some(Range(0L, 4294967295L))
      case _ => None
    }

  /** Conversion to an integer type, with a check of its range. */
  def whole(file: FileType, range: Range, subject: ValueSubject): Option[Conversion] =
    file match {
      case FileType.Truth =>
        Some(new Conversion {
          override def long(in: ColumnVector, row: Int): Long = if (in.getBoolean(row)) 1L else 0L
        })
      case FileType.Whole(64, false) =>
        Some(new Conversion {
          override def long(in: ColumnVector, row: Int): Long = {
            val value = in.getLong(row)
            if (!in.isNullAt(row) && (value < 0 || value > range.max))
              outOfRange(java.lang.Long.toUnsignedString(value), subject)
            value
          }
        })
      case file: FileType.Whole =>
        val reads = integer(file)
        Some(new Conversion {
          override def long(in: ColumnVector, row: Int): Long = {
            val value = reads(in, row)
            if (!in.isNullAt(row) && (value < range.min || value > range.max))
              outOfRange(value.toString, subject)
            value
          }
        })
      case _ => None
    }

  /** Conversion to FLOAT or DOUBLE. */
  def real(file: FileType): Option[Conversion] =
    file match {
      case FileType.Truth => Some(real((in, row) => if (in.getBoolean(row)) 1d else 0d))
      case FileType.Double => Some(real((in, row) => in.getDouble(row)))
      case FileType.Whole(64, false) =>
        Some(real((in, row) => unsigned(in.getLong(row)).doubleValue))
      case file: FileType.Whole =>
        val reads = integer(file)
        Some(new Conversion {
          override def float(in: ColumnVector, row: Int): Float = reads(in, row).toFloat
          override def double(in: ColumnVector, row: Int): Double = reads(in, row).toDouble
        })
      case FileType.Decimal(precision, scale) =>
        val cast = new DecimalCast(precision, scale)
        def digits(in: ColumnVector, row: Int): BigInteger =
          if (in.isNullAt(row)) BigInteger.ZERO
          else in.getDecimal(row, precision, scale).toJavaBigDecimal.unscaledValue
        Some(new Conversion {
          override def float(in: ColumnVector, row: Int): Float = cast.toFloat(digits(in, row))
          override def double(in: ColumnVector, row: Int): Double = cast.toDouble(digits(in, row))
        })
      case _ => None
    }

  /** Conversion to DECIMAL: for decimals, and for integer types that Spark does not have. */
  def decimal(
      file: FileType,
      shown: DecimalType,
      wanted: LakeType,
      subject: ValueSubject,
  ): Option[Conversion] =
    file match {
      case FileType.Decimal(precision, scale) =>
        Some(decimal { (in, row) =>
          val value = in.getDecimal(row, precision, scale)
          if (value.changePrecision(shown.precision, shown.scale)) value
          else outOfRange(value.toString, subject)
        })
      case FileType.Double | FileType.Single if isWide(wanted) =>
        val reads: DoubleOf =
          if (file == FileType.Double) _.getDouble(_) else (in, row) => in.getFloat(row).toDouble
        Some(decimal((in, row) => rounded(reads(in, row), shown, subject)))
      case FileType.Truth =>
        Some(decimal { (in, row) =>
          fitting(if (in.getBoolean(row)) BigDecimal.ONE else BigDecimal.ZERO, shown, subject)
        })
      case FileType.Whole(64, false) =>
        Some(decimal { (in, row) =>
          fitting(new BigDecimal(unsigned(in.getLong(row))), shown, subject)
        })
      case file: FileType.Whole =>
        val reads = integer(file)
        Some(decimal((in, row) => fitting(BigDecimal.valueOf(reads(in, row)), shown, subject)))
      case _ => None
    }

  /** Reads a value as a long, from a vector of the type that was requested from Spark's reader. */
  trait LongOf {
    def apply(in: ColumnVector, row: Int): Long
  }

  /** Reads any whole number except an unsigned number of 64 bits. */
  def integer(file: FileType.Whole): LongOf =
    if (file.bits == 64 || (file.bits == 32 && !file.isSigned)) (in, row) => in.getLong(row)
    else (in, row) => in.getInt(row).toLong

  def unsigned(value: Long): BigInteger = new BigInteger(java.lang.Long.toUnsignedString(value))

  private trait DoubleOf {
    def apply(in: ColumnVector, row: Int): Double
  }

  private trait DecimalOf {
    def apply(in: ColumnVector, row: Int): Decimal
  }

  private def real(of: DoubleOf): Conversion = new Conversion {
    override def float(in: ColumnVector, row: Int): Float = of(in, row).toFloat
    override def double(in: ColumnVector, row: Int): Double = of(in, row)
  }

  private def decimal(of: DecimalOf): Conversion = new Conversion {
    override def decimal(in: ColumnVector, row: Int): Decimal = of(in, row)
  }

  private def isWide(wanted: LakeType): Boolean =
    wanted == LakeType.Int128 || wanted == LakeType.UInt128

  private def rounded(value: Double, shown: DecimalType, subject: ValueSubject): Decimal =
    if (value.isNaN || value.isInfinite) outOfRange(value.toString, subject)
    else fitting(new BigDecimal(value).setScale(0, RoundingMode.HALF_EVEN), shown, subject)

  private def fitting(value: BigDecimal, shown: DecimalType, subject: ValueSubject): Decimal = {
    val scaled = value.setScale(shown.scale, RoundingMode.UNNECESSARY)
    if (scaled.precision > shown.precision) outOfRange(value.toPlainString, subject)
    else Decimal(scaled, shown.precision, shown.scale)
  }

  private def outOfRange(value: String, subject: ValueSubject): Nothing =
    subject.refuse(value, "Spark's type for the column cannot hold it")
}
