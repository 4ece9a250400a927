package ducklake.catalog.types.text

import ducklake.catalog.types.Literal
import ducklake.catalog.types.Micros

import java.util.Locale

import scala.annotation.tailrec

/** Intervals as DuckDB's cast from a text understands them: numbers with units, of which fractions
  * go to the next smaller part (`1.5 months` are a month and 15 days), a number alone, which counts
  * seconds, and a time at the end (`1 day 02:30:00`).
  *
  * Source: DuckDB 1.5.5, observed; DuckDbIntervalTextSpec has its answers.
  */
private[text] object DuckDbIntervalText {

  def parse(text: String): Option[Literal.Interval] =
    sum(text.stripPrefix("@"), None).map { parts =>
      Literal.Interval(parts.months.toInt, parts.days.toInt, parts.micros.toLong)
    }

  private final case class Parts(months: BigInt, days: BigInt, micros: BigInt) {
    def plus(moreMonths: BigInt, moreDays: BigInt, moreMicros: BigInt): Option[Parts] =
      Some(Parts(months + moreMonths, days + moreDays, micros + moreMicros)).filter { parts =>
        parts.months.isValidInt && parts.days.isValidInt && parts.micros.isValidLong
      }

    def negated: Parts = Parts(-months, -days, -micros)
  }

  private val none = Parts(0, 0, 0)

  /** @param found the sum of the parts before; None when there is no part yet */
  @tailrec
  private def sum(rest: String, found: Option[Parts]): Option[Parts] = rest match {
    case blankPattern() => found
    case agoPattern() => found.map(_.negated)
    case clockPattern(sign, hours, minutes, seconds, fraction) =>
      clock(found.getOrElse(none), sign, hours, minutes, Option(seconds), fraction)
    case numberPattern(sign, whole, fraction, unit, after) =>
      val isNegative = sign.nonEmpty
      val number = if (isNegative) -BigInt(whole) else BigInt(whole)
      val size = TemporalText.fractionTicks(fraction, Micros.PerSecond)
      val isAlone = found.isEmpty && after.isEmpty
      val wanted = if (unit.isEmpty && isAlone) "second" else unit.toLowerCase(Locale.ROOT)
      val parts = units
        .get(wanted)
        .flatMap(add(found.getOrElse(none), number, if (isNegative) -size else size, _))
      if (parts.isEmpty) None else sum(after, parts)
    case _ => None
  }

  /** The sum with the time at the end of the text. A sign before the time applies to hours, minutes
    * and seconds. Text after the seconds is ignored, as in DuckDB.
    */
  private def clock(
      before: Parts,
      sign: String,
      hours: String,
      minutes: String,
      seconds: Option[String],
      fraction: String,
  ): Option[Parts] =
    if (minutes.toInt >= 60 || seconds.exists(_.toInt >= 60)) None
    else {
      val whole = BigInt(hours) * 3600 + minutes.toInt * 60 + seconds.fold(0)(_.toInt)
      val micros = whole * Micros.PerSecond +
        TemporalText.fractionTicks(fraction, Micros.PerSecond)
      before
        .plus(0, 0, micros)
        .map(parts => if (sign.isEmpty) parts else parts.copy(micros = -parts.micros))
    }

  /** A unit of time as a number of months, days or microseconds. */
  private sealed trait Measure

  private object Measure {

    /** Fractions give whole months only. */
    final case class Years(months: Int) extends Measure
    final case class Months(count: Int) extends Measure
    final case class Days(count: Int) extends Measure
    final case class Time(micros: Long) extends Measure
    case object Microsecond extends Measure
  }

  /** @param millionths the fraction of the number, with its sign */
  private def add(parts: Parts, number: BigInt, millionths: BigInt, unit: Measure): Option[Parts] =
    unit match {
      case Measure.Years(months) => parts.plus(number * months + whole(millionths * months), 0, 0)
      case Measure.Months(count) =>
        val part = millionths * count
        parts.plus(number * count + whole(part), whole(part % million * daysPerMonth), 0)
      case Measure.Days(count) =>
        val part = millionths * count
        parts.plus(0, number * count + whole(part), whole(part % million * microsPerDay))
      case Measure.Time(micros) => parts.plus(0, 0, number * micros + whole(millionths * micros))
      // The only fraction that is rounded to the nearest.
      case Measure.Microsecond => parts.plus(0, 0, number + whole(millionths * 2))
    }

  private def whole(millionths: BigInt): BigInt = millionths / million

  private val million = BigInt(1000000)
  private val daysPerMonth = 30
  private val microsPerDay = 86400000000L

  private val blankPattern = """[ \t\n]*""".r
  private val agoPattern = """[ \t\n]*[aA][gG][oO][ \t\n]*""".r

  private val clockPattern =
    """[ \t\n]*(-?)(\d+):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?(?s:.*)|:?)""".r

  private val numberPattern =
    """[ \t\n]*(-?)(\d+)(?:\.(\d*))?[ \t\n]*([a-zA-Z]*)((?s:.*))""".r

  private val units: Map[String, Measure] = Vector[(Measure, String)](
    Measure.Years(12000) -> "millennium millennia millenniums millenium mil mils",
    Measure.Years(1200) -> "century centuries cent c",
    Measure.Years(120) -> "decade decades dec decs",
    Measure.Years(12) -> "year years yr yrs y",
    Measure.Months(3) -> "quarter quarters",
    Measure.Months(1) -> "month months mon mons",
    Measure.Days(7) -> "week weeks w weekofyear",
    Measure.Days(1) -> "day days d dayofmonth",
    Measure.Time(3600000000L) -> "hour hours hr hrs h",
    Measure.Time(60000000L) -> "minute minutes min mins m",
    Measure.Time(Micros.PerSecond) -> "second seconds sec secs s",
    Measure.Time(1000L) -> "millisecond milliseconds ms msec msecs",
    Measure.Microsecond -> "microsecond microseconds us usec usecs",
  ).flatMap { case (unit, names) => names.split(' ').map(_ -> unit) }.toMap
}
