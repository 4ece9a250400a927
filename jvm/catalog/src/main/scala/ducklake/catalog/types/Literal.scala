package ducklake.catalog.types

import scala.collection.immutable.ArraySeq

/** A typed value in JDK types. All modules pass values in this form.
  *
  * The [[LakeType]] of a literal is the type of its column. Infinite dates and timestamps are the
  * extreme values, as in DuckDB: `Int.MaxValue` days or `Long.MaxValue` ticks, and their negatives.
  */
sealed trait Literal

object Literal {
  case object Null extends Literal
  final case class Bool(value: Boolean) extends Literal

  /** int8 to int64 and uint8 to uint32. */
  final case class Integral(value: Long) extends Literal

  /** uint64, int128, uint128. */
  final case class BigIntegral(value: BigInt) extends Literal

  /** float32 (widened) and float64; NaN and infinities included. */
  final case class Floating(value: Double) extends Literal

  /** decimal(p, s), with exactly the column's scale. */
  final case class Dec(value: java.math.BigDecimal) extends Literal

  /** varchar and json. */
  final case class Text(value: String) extends Literal

  /** blob, and geometry as WKB. */
  final case class Bytes(value: ArraySeq[Byte]) extends Literal
  final case class Uuid(value: java.util.UUID) extends Literal

  /** Days since 1970-01-01. */
  final case class Date(days: Int) extends Literal

  /** Ticks since midnight: microseconds for time, nanoseconds for time_ns. */
  final case class Time(ticks: Long) extends Literal

  /** Local time in microseconds since midnight, and its offset east of UTC in seconds. */
  final case class TimeTz(micros: Long, offsetSeconds: Int) extends Literal

  /** Ticks since 1970-01-01 00:00:00 in the unit of the type: s, ms, us or ns. */
  final case class Timestamp(ticks: Long) extends Literal
  final case class Interval(months: Int, days: Int, micros: Long) extends Literal

  /** A variant in Parquet's binary encoding. */
  final case class Variant(metadata: ArraySeq[Byte], value: ArraySeq[Byte]) extends Literal
  final case class ListValue(items: Vector[Literal]) extends Literal

  /** Values in the order of the column's children. */
  final case class StructValue(fields: Vector[Literal]) extends Literal
  final case class MapValue(entries: Vector[(Literal, Literal)]) extends Literal
}
