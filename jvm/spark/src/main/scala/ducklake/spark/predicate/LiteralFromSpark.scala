package ducklake.spark.predicate

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.spark.sql.connector.expressions
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

import java.util.UUID

import scala.util.matching.Regex

/** Converts Spark's literals to literals of a column's DuckLake type. */
object LiteralFromSpark {

  private val CanonicalUuid: Regex =
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}".r

  /** None for NULL, and where a comparison in Spark's types can give another result than a
    * comparison of the stored values.
    */
  def apply(
      literal: expressions.Literal[?],
      dataType: LakeType,
      operator: Comparison,
  ): Option[Literal] =
    Option[Any](literal.value()).flatMap(ofInternal(_, dataType, operator))

  /** Like [[apply]], for a value in Spark's internal form. */
  def ofInternal(value: Any, dataType: LakeType, operator: Comparison): Option[Literal] =
    dataType match {
      case LakeType.Bool => Option(value).collect { case v: Boolean => Literal.Bool(v) }
      case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.UInt8 |
          LakeType.UInt16 | LakeType.UInt32 =>
        whole(value).map(Literal.Integral.apply)
      case LakeType.UInt64 | LakeType.Int128 | LakeType.UInt128 =>
        decimal(value).filter(_.scale() == 0).map(v => Literal.BigIntegral(v.unscaledValue()))
      case LakeType.Float32 | LakeType.Float64 => floating(value).map(Literal.Floating.apply)
      case LakeType.Decimal(_, scale) =>
        decimal(value).filter(_.scale() <= scale).map(v => Literal.Dec(v.setScale(scale)))
      case LakeType.Date => Option(value).collect { case v: Int => Literal.Date(v) }
      case LakeType.Timestamp | LakeType.TimestampTz => ticks(value, microsPerTick = 1)
      case LakeType.TimestampMs => ticks(value, microsPerTick = 1000)
      case LakeType.TimestampS => ticks(value, microsPerTick = 1000000)
      case LakeType.Varchar | LakeType.Json => text(value).map(Literal.Text.apply)
      case LakeType.Uuid => text(value).flatMap(uuid(_, operator))
      case LakeType.TimestampTzNs | LakeType.NullType => None
      case LakeType.TimestampNs | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz |
          LakeType.Interval | LakeType.Blob | LakeType.Variant | LakeType.Geometry(_) |
          LakeType.Unknown(_) =>
        None
      case LakeType.ListType | LakeType.StructType | LakeType.MapType => None
    }

  private def whole(value: Any): Option[Long] =
    value match {
      case v: Byte => Some(v.toLong)
      case v: Short => Some(v.toLong)
      case v: Int => Some(v.toLong)
      case v: Long => Some(v)
      case _ => None
    }

  private def floating(value: Any): Option[Double] =
    value match {
      case v: Float => Some(v.toDouble)
      case v: Double => Some(v)
      case _ => None
    }

  private def decimal(value: Any): Option[java.math.BigDecimal] =
    value match {
      case v: Decimal => Some(v.toJavaBigDecimal)
      case v: java.math.BigDecimal => Some(v)
      case _ => None
    }

  /** None for bytes that are not UTF-8, because they would become another text. */
  private def text(value: Any): Option[String] =
    value match {
      case v: UTF8String => Option.when(v.isValid)(v.toString)
      case v: String => Some(v)
      case _ => None
    }

  /** None for instants between two ticks, because a comparison with the rounded instant has another
    * meaning.
    */
  private def ticks(value: Any, microsPerTick: Long): Option[Literal] =
    whole(value).filter(_ % microsPerTick == 0).map(v => Literal.Timestamp(v / microsPerTick))

  /** Only for equality with a canonical UUID. Spark compares all other texts as text, and UUIDs are
    * not compared in this way.
    */
  private def uuid(text: String, operator: Comparison): Option[Literal] =
    if (operator == Comparison.Equal && CanonicalUuid.matches(text))
      Some(Literal.Uuid(UUID.fromString(text)))
    else None
}
