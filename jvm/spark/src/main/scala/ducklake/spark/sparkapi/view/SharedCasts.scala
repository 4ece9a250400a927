package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.types.FloatType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampNTZType

/** Casts that give the same value in DuckDB and in Spark. Casts to narrower numbers round in one
  * engine and cut in the other, and the texts of most types are not the same.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_foreign_views.py.
  */
private[view] object SharedCasts {

  /** @param isCompared whether Spark made the cast for a comparison */
  def isShared(cast: Cast, isCompared: Boolean): Boolean = {
    val isWritten = cast.getTagValue(Cast.USER_SPECIFIED_CAST).isDefined
    (cast.child, cast.child.dataType, cast.dataType) match {
      case (_, from, to) if from == to => true
      case (_, NullType, _) => true
      case (Literal(text, _: StringType), _, to) =>
        Option(text).map(_.toString).exists { t =>
          (isWritten || isCompared && !hasFraction(t, to)) && isPlain(t, to)
        }
      case (_, from, _: StringType) => hasSharedText(from)
      case (_, DateType, TimestampNTZType) => true
      case (_, TimestampNTZType, DateType) => true
      // DuckDB compares FLOAT with an integer or a decimal as FLOAT, Spark as DOUBLE.
      case (_, FloatType, DoubleType) => isWritten
      case (Literal(number, ByteType | ShortType | IntegerType | LongType), _, to: DecimalType) =>
        number.toString.stripPrefix("-").length <= to.precision - to.scale
      case (_, from, to) => holdsAll(from, to)
    }
  }

  /** Whether both engines read the text in the same way. Each of them also reads other spellings.
    */
  private def isPlain(text: String, to: DataType): Boolean =
    to match {
      case BooleanType => Set("t", "f", "true", "false")(text)
      case IntegerType => text.matches("-?[0-9]{1,9}")
      case LongType => text.matches("-?[0-9]{1,18}")
      case DateType => text.matches(Day)
      case TimestampNTZType => text.matches(s"$Day [0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?")
      case _ => false
    }

  /** In a comparison with a TIMESTAMP_S or TIMESTAMP_MS, a text with a fraction loses digits in
    * DuckDB.
    */
  private def hasFraction(text: String, to: DataType): Boolean =
    to == TimestampNTZType && text.contains('.')

  private val Day = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

  private def hasSharedText(from: DataType): Boolean =
    from match {
      case ByteType | ShortType | IntegerType | LongType | BooleanType => true
      case _ => false
    }

  private def holdsAll(from: DataType, to: DataType): Boolean =
    (from, to) match {
      case (_, DoubleType) => isSharedDouble(from)
      case (_, decimal: DecimalType) =>
        asDecimal(from).exists { case (whole, scale) =>
          decimal.scale >= scale && decimal.precision - decimal.scale >= whole
        }
      case (ByteType, ShortType | IntegerType | LongType) => true
      case (ShortType, IntegerType | LongType) => true
      case (IntegerType, LongType) => true
      case _ => false
    }

  /** Both engines round a BIGINT to the nearest DOUBLE. For a long decimal DuckDB divides the
    * rounded digits, and so rounds twice.
    */
  private def isSharedDouble(from: DataType): Boolean =
    from match {
      case ByteType | ShortType | IntegerType | LongType => true
      case decimal: DecimalType => decimal.precision <= 15
      case _ => false
    }

  /** Digits before and after the point. */
  private def asDecimal(from: DataType): Option[(Int, Int)] =
    from match {
      case ByteType => Some((3, 0))
      case ShortType => Some((5, 0))
      case IntegerType => Some((10, 0))
      case LongType => Some((19, 0))
      case decimal: DecimalType => Some((decimal.precision - decimal.scale, decimal.scale))
      case _ => None
    }
}
