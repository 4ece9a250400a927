package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.types.FloatType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.vectorized.ColumnVector

/** How the values of a column of a variant are read as a type, where this needs no variant: the
  * result is the same as that of Spark's cast.
  *
  * @param fits whether the type can hold a value
  */
final case class DirectValue(conversion: Conversion, fits: DirectValue.Test)

object DirectValue {

  trait Test {
    def apply(in: ColumnVector, row: Int): Boolean
  }

  private val always: Test = (_, _) => true

  /** None when the values have to become variants first. */
  def of(file: FileType, target: DataType, subject: ValueSubject): Option[DirectValue] =
    (file, target) match {
      case (FileType.Truth, BooleanType) => Some(DirectValue(Truth, always))
      case (whole: FileType.Whole, _) if whole.bits < 64 || whole.isSigned =>
        ofWhole(NumberConversions.integer(whole), target)
      case (FileType.Double, DoubleType) => Some(DirectValue(Real, always))
      case (FileType.Single, FloatType) => Some(DirectValue(Real, always))
      case (FileType.Decimal(precision, scale), DoubleType) =>
        Some(DirectValue(ofDecimal(precision, scale), always))
      case (FileType.Decimal(precision, scale), decimal: DecimalType)
          if decimal.precision == precision && decimal.scale == scale =>
        Some(DirectValue(ofDecimal(precision, scale), always))
      case (FileType.Text, StringType) => Some(DirectValue(Bytes, always))
      case (FileType.Bytes, BinaryType) => Some(DirectValue(Bytes, always))
      case (FileType.Date, DateType) => Some(DirectValue(Days, always))
      case (FileType.Timestamp(unit, true), TimestampType) =>
        Some(DirectValue(TimeConversions.timestamp(unit, LakeType.TimestampNs, subject), always))
      case (FileType.Timestamp(unit, false), TimestampNTZType) =>
        Some(DirectValue(TimeConversions.timestamp(unit, LakeType.TimestampNs, subject), always))
      case _ => None
    }

  private def ofWhole(value: NumberConversions.LongOf, target: DataType): Option[DirectValue] = {
    val number = new Conversion {
      override def long(in: ColumnVector, row: Int): Long = value(in, row)
      override def double(in: ColumnVector, row: Int): Double = value(in, row).toDouble
    }
    def within(min: Long, max: Long): Test = (in, row) => {
      val found = value(in, row)
      min <= found && found <= max
    }
    val fits = target match {
      case LongType | DoubleType => Some(always)
      case IntegerType => Some(within(Int.MinValue.toLong, Int.MaxValue.toLong))
      case ShortType => Some(within(Short.MinValue.toLong, Short.MaxValue.toLong))
      case ByteType => Some(within(Byte.MinValue.toLong, Byte.MaxValue.toLong))
      case _ => None
    }
    fits.map(DirectValue(number, _))
  }

  private def ofDecimal(precision: Int, scale: Int): Conversion = new Conversion {
    override def double(in: ColumnVector, row: Int): Double = decimal(in, row).toDouble
    override def decimal(in: ColumnVector, row: Int) = in.getDecimal(row, precision, scale)
  }

  private object Truth extends Conversion {
    override def truth(in: ColumnVector, row: Int): Boolean = in.getBoolean(row)
  }

  private object Real extends Conversion {
    override def float(in: ColumnVector, row: Int): Float = in.getFloat(row)
    override def double(in: ColumnVector, row: Int): Double = in.getDouble(row)
  }

  private object Bytes extends Conversion {
    override def text(in: ColumnVector, row: Int) = in.getUTF8String(row)
    override def bytes(in: ColumnVector, row: Int): Array[Byte] = in.getBinary(row)
  }

  private object Days extends Conversion {
    override def long(in: ColumnVector, row: Int): Long = in.getInt(row).toLong
  }
}
