package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.cast.TemporalRounding
import ducklake.spark.errors.ValueSubject
import ducklake.spark.types.LostValues
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Conversions of times and timestamps of any unit. Infinite values are the largest and smallest
  * values of their type, in the file and in the result.
  */
object TimeConversions {

  private val microsPerDay = 86400000000L
  private val nanosPerDay = 86400000000000L
  private val infinity = Long.MaxValue

  /** DuckDB's text of a time, with `suffix` appended. */
  def clockText(unit: TimeUnit, suffix: String): Conversion = {
    val ticks = ticksOf(unit)
    val perSecond = FileType.perSecond(unit)
    new Conversion {
      override def text(in: ColumnVector, row: Int): UTF8String =
        ClockText.of(ticks(in, row), perSecond, suffix)
    }
  }

  /** Spark's TIME. It has no 24:00:00, which DuckDB's type has, so this value is refused. */
  def nanosOfDay(unit: TimeUnit, subject: ValueSubject): Conversion = {
    val ticks = ticksOf(unit)
    val nanosPerTick = 1000000000L / FileType.perSecond(unit)
    new Conversion {
      override def long(in: ColumnVector, row: Int): Long = {
        val nanos = ticks(in, row) * nanosPerTick
        if (nanos >= nanosPerDay && !in.isNullAt(row))
          subject.refuse("24:00:00", "Spark's TIME ends before it")
        nanos
      }
    }
  }

  /** Microseconds. Values that are finer than `wanted` are rounded as DuckDB rounds them. Values of
    * timestamp_ns and timestamptz_ns are rounded down, because they lose digits only in Spark.
    */
  def timestamp(unit: TimeUnit, wanted: LakeType, subject: ValueSubject): Conversion = {
    val step = wanted match {
      case LakeType.TimestampS => 1000000L
      case LakeType.TimestampMs if unit != TimeUnit.MILLIS => 1000L
      case _ => 1L
    }
    val micros: Long => Long = unit match {
      case TimeUnit.MICROS => identity
      case TimeUnit.MILLIS => scaled(1000L, "timestamp in milliseconds", subject)
      case TimeUnit.NANOS if LostValues.isInNanos(wanted) => Math.floorDiv(_, 1000L)
      case TimeUnit.NANOS => TemporalRounding.ofNanos
    }
    new Conversion {
      override def long(in: ColumnVector, row: Int): Long = {
        val ticks = in.getLong(row)
        if (ticks == infinity || ticks == -infinity || in.isNullAt(row)) ticks
        else {
          val exact = micros(ticks)
          if (step == 1L) exact else whole(exact, step, subject)
        }
      }
    }
  }

  private def whole(micros: Long, step: Long, subject: ValueSubject): Long = {
    val units = TemporalRounding.ofMicros(micros, step)
    if (TemporalRounding.isInMicros(units, step)) units * step
    else
      subject.refuse(s"the timestamp of $micros microseconds", "it lies outside the type's range")
  }

  /** The first microsecond of a date. For types with a zone it is in UTC, so it is the same in
    * every session.
    */
  def midnight(subject: ValueSubject): Conversion = {
    val micros: Long => Long = scaled(microsPerDay, "date", subject)
    new Conversion {
      override def long(in: ColumnVector, row: Int): Long = {
        val days = in.getInt(row)
        if (in.isNullAt(row)) 0L
        else if (days == Int.MaxValue) infinity
        else if (days == -Int.MaxValue) -infinity
        else micros(days.toLong)
      }
    }
  }

  private def scaled(factor: Long, what: String, subject: ValueSubject)(value: Long): Long =
    try Math.multiplyExact(value, factor)
    catch {
      case _: ArithmeticException =>
        subject.refuse(s"the $what $value", "it lies outside Spark's timestamps")
    }

  private def ticksOf(unit: TimeUnit): NumberConversions.LongOf =
    if (unit == TimeUnit.MILLIS) (in, row) => in.getInt(row).toLong
    else (in, row) => in.getLong(row)
}
