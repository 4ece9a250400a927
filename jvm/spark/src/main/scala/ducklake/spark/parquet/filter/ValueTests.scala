package ducklake.spark.parquet.filter

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.spark.sql.types.*
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import java.util.Arrays
import java.util.HashSet as JavaSet

/** Tests one value of a column, which is not NULL, as Spark would. */
trait ValueTest {
  def apply(vector: ColumnVector, row: Int): Boolean
}

/** Makes the tests for the types whose comparison in Spark is known here. */
object ValueTests {

  /** None for other types and values. */
  def compare(
      shown: DataType,
      lakeType: LakeType,
      operator: Comparison,
      value: Literal,
  ): Option[ValueTest] =
    order(shown, lakeType, value).map { order =>
      operator match {
        case Comparison.Equal => order.compare(_, _) == 0
        case Comparison.NotEqual => order.compare(_, _) != 0
        case Comparison.Less => order.compare(_, _) < 0
        case Comparison.LessOrEqual => order.compare(_, _) <= 0
        case Comparison.Greater => order.compare(_, _) > 0
        case Comparison.GreaterOrEqual => order.compare(_, _) >= 0
      }
    }

  /** Whether a value is among these, or, negated, is not. */
  def in(
      shown: DataType,
      lakeType: LakeType,
      values: Vector[Literal],
      isNegated: Boolean,
  ): Option[ValueTest] = {
    val numbers = values.map(whole(shown, lakeType, _))
    val texts = values.map(text(shown, lakeType, _))
    if (numbers.forall(_.nonEmpty))
      WholeValue.of(shown).map { read =>
        val sorted = numbers.flatten.toArray
        Arrays.sort(sorted)
        (vector, row) => (Arrays.binarySearch(sorted, read(vector, row)) >= 0) != isNegated
      }
    else if (texts.forall(_.nonEmpty)) {
      val known = new JavaSet[UTF8String](2 * texts.length)
      texts.flatten.foreach(known.add)
      Some((vector, row) => known.contains(vector.getUTF8String(row)) != isNegated)
    } else {
      val orders = values.map(order(shown, lakeType, _))
      Option.when(orders.forall(_.nonEmpty) && values.sizeIs <= FewValues) {
        val each = orders.flatten.toArray
        (vector, row) => each.exists(_.compare(vector, row) == 0) != isNegated
      }
    }
  }

  def startsWith(
      shown: DataType,
      lakeType: LakeType,
      prefix: String,
      isNegated: Boolean,
  ): Option[ValueTest] =
    text(shown, lakeType, Literal.Text(prefix)).map { start => (vector, row) =>
      vector.getUTF8String(row).startsWith(start) != isNegated
    }

  /** So many values are compared one by one. */
  private val FewValues = 16

  /** The order of a column's values in relation to a fixed value. */
  private trait ValueOrder {

    /** Negative for values that are smaller than the fixed value. */
    def compare(vector: ColumnVector, row: Int): Int
  }

  private def order(shown: DataType, lakeType: LakeType, value: Literal): Option[ValueOrder] =
    (shown, value) match {
      case (BooleanType, Literal.Bool(fixed)) =>
        Some((vector, row) => java.lang.Boolean.compare(vector.getBoolean(row), fixed))
      case (FloatType, Literal.Floating(fixed)) =>
        Some((vector, row) => floats(vector.getFloat(row).toDouble, fixed))
      case (DoubleType, Literal.Floating(fixed)) =>
        Some((vector, row) => floats(vector.getDouble(row), fixed))
      case (decimal: DecimalType, _) if decimal.precision > Decimal.MAX_LONG_DIGITS =>
        number(value).map { fixed => (vector, row) =>
          vector.getDecimal(row, decimal.precision, decimal.scale).toJavaBigDecimal.compareTo(fixed)
        }
      case (StringType, _) =>
        text(shown, lakeType, value).map(fixed =>
          (vector, row) => vector.getUTF8String(row).compareTo(fixed)
        )
      case _ =>
        for {
          fixed <- whole(shown, lakeType, value)
          read <- WholeValue.of(shown)
        } yield (vector, row) => java.lang.Long.compare(read(vector, row), fixed)
    }

  private def number(value: Literal): Option[java.math.BigDecimal] =
    value match {
      case Literal.Dec(fixed) => Some(fixed)
      case Literal.BigIntegral(fixed) => Some(new java.math.BigDecimal(fixed.bigInteger))
      case _ => None
    }

  /** Spark's order: both zeros are equal, NaN is equal to itself and greater than all others. */
  private def floats(left: Double, right: Double): Int =
    if (left < right) -1
    else if (left > right) 1
    else if (left == right) 0
    else java.lang.Boolean.compare(left.isNaN, right.isNaN)

  /** The number that vectors of the type hold for the value. */
  private def whole(shown: DataType, lakeType: LakeType, value: Literal): Option[Long] =
    (shown, value) match {
      case (ByteType | ShortType | IntegerType | LongType, Literal.Integral(number)) => Some(number)
      case (DateType, Literal.Date(days)) => Some(days.toLong)
      case (TimestampType | TimestampNTZType, Literal.Timestamp(micros))
          if lakeType == LakeType.Timestamp || lakeType == LakeType.TimestampTz =>
        Some(micros)
      case (decimal: DecimalType, Literal.Dec(fixed))
          if decimal.precision <= Decimal.MAX_LONG_DIGITS && fixed.scale == decimal.scale &&
            fixed.unscaledValue.bitLength < java.lang.Long.SIZE =>
        Some(fixed.unscaledValue.longValue)
      case _ => None
    }

  private def text(shown: DataType, lakeType: LakeType, value: Literal): Option[UTF8String] =
    (shown, lakeType, value) match {
      case (StringType, LakeType.Varchar | LakeType.Json, Literal.Text(fixed)) =>
        Some(UTF8String.fromString(fixed))
      case _ => None
    }

  /** Reads values that vectors hold as whole numbers. */
  private trait WholeValue {
    def apply(vector: ColumnVector, row: Int): Long
  }

  private object WholeValue {
    def of(shown: DataType): Option[WholeValue] =
      shown match {
        case ByteType => Some(_.getByte(_).toLong)
        case ShortType => Some(_.getShort(_).toLong)
        case IntegerType | DateType => Some(_.getInt(_).toLong)
        case LongType | TimestampType | TimestampNTZType => Some(_.getLong(_))
        case decimal: DecimalType if decimal.precision <= Decimal.MAX_INT_DIGITS =>
          Some(_.getInt(_).toLong)
        case decimal: DecimalType if decimal.precision <= Decimal.MAX_LONG_DIGITS =>
          Some(_.getLong(_))
        case _ => None
      }
  }
}
