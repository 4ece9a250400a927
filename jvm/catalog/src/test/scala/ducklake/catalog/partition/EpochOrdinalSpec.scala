package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant
import java.time.LocalDate
import java.time.ZoneOffset
import java.time.temporal.ChronoUnit

import scala.util.Random

class EpochOrdinalSpec extends AnyFunSuite {
  import Transform.*

  private val timestamps = Vector(
    LakeType.TimestampS -> 1L,
    LakeType.TimestampMs -> 1000L,
    LakeType.Timestamp -> 1000000L,
    LakeType.TimestampTz -> 1000000L,
    LakeType.TimestampNs -> 1000000000L,
  )

  private def text(unit: Calendar, value: String, lakeType: LakeType.Primitive): Option[String] =
    TransformValue
      .text(Epoch(unit), ValueText.parseCast(value, lakeType).getOrElse(fail(value)), lakeType)
      .getOrElse(fail(value))

  /** What DuckDB 2.0.0 gives for `date_diff(unit, DATE '1970-01-01', value)`, from years to hours.
    */
  private val recorded = Vector(
    ("1969-01-15", LakeType.Date, "-1 -12 -351 -8424"),
    ("0044-03-15 (BC)", LakeType.Date, "-2013 -24154 -735160 -17643840"),
    ("0001-01-01", LakeType.Date, "-1969 -23628 -719162 -17259888"),
    ("0001-12-31 (BC)", LakeType.Date, "-1970 -23629 -719163 -17259912"),
    ("5877642-06-25 (BC)", LakeType.Date, "-5879611 -70555327 -2147483646 -51539607504"),
    ("5881580-07-10", LakeType.Date, "5879610 70555326 2147483646 51539607504"),
    ("1969-12-31 23:30:00", LakeType.Timestamp, "-1 -1 -1 -1"),
    ("290309-12-22 (BC) 00:00:00", LakeType.Timestamp, "-292278 -3507325 -106751991 -2562047784"),
    ("294247-01-10 04:00:54.775806", LakeType.Timestamp, "292277 3507324 106751991 2562047788"),
    ("1969-12-31 23:59:59", LakeType.TimestampS, "-1 -1 -1 -1"),
    ("1969-12-31 23:59:59.999", LakeType.TimestampMs, "-1 -1 -1 -1"),
    ("2020-01-01 00:00:00+00", LakeType.TimestampTz, "50 600 18262 438288"),
  )

  test("ordinals are those of DuckDB") {
    recorded.foreach { case (value, lakeType, ordinals) =>
      val found = units.map(text(_, value, lakeType).getOrElse(fail(value)))
      assert(found.mkString(" ") == ordinals, value)
    }
  }

  test("nanoseconds before 1970 are rounded down, though DuckDB's function rounds them up") {
    units.foreach { unit =>
      val last = "1969-12-31 23:59:59.999999999"
      assert(text(unit, last, LakeType.TimestampNs).contains("-1"))
    }
  }

  test("NULL and infinite values have no ordinal") {
    val types = LakeType.Date +: timestamps.map(_._1)
    for (lakeType <- types; unit <- units) {
      assert(text(unit, "infinity", lakeType).isEmpty)
      assert(text(unit, "-infinity", lakeType).isEmpty)
      assert(TransformValue.text(Epoch(unit), Literal.Null, lakeType) == Right(None))
    }
  }

  test("only types with a date have ordinals") {
    val others = Vector(LakeType.Time, LakeType.TimeTz, LakeType.Int32, LakeType.Varchar)
    assert(!others.exists(TransformValue.accepts(Epoch(Hour), _)))
    assert((LakeType.Date +: timestamps.map(_._1)).forall(TransformValue.accepts(Epoch(Hour), _)))
  }

  test("ordinals of any time are those that java.time counts") {
    val random = new Random(17)
    val chrono = Map[Calendar, ChronoUnit](
      Year -> ChronoUnit.YEARS,
      Month -> ChronoUnit.MONTHS,
      Day -> ChronoUnit.DAYS,
      Hour -> ChronoUnit.HOURS,
    )
    // Counted from a year far in the past, for java.time rounds negative differences up.
    val origin = LocalDate.of(-300000, 1, 1).atStartOfDay
    def counted(unit: Calendar, second: Long): Long = {
      val time = Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC).toLocalDateTime
      chrono(unit).between(origin, time) -
        chrono(unit).between(origin, LocalDate.EPOCH.atStartOfDay)
    }
    timestamps.foreach { case (lakeType, perSecond) =>
      for (_ <- 1 to 2000; unit <- units) {
        val most = (Long.MaxValue / perSecond).min(9000000000000L)
        val second = random.between(-most + 1, most) >> random.nextInt(40)
        val tick = random.between(0L, perSecond)
        val value = Literal.Timestamp(second * perSecond + tick)

        val ordinal = EpochOrdinal.of(unit, value, lakeType)

        assert(ordinal.contains(counted(unit, second)), (unit, lakeType, second))
      }
    }
  }

  test("a range holds exactly the values of its ordinal") {
    val random = new Random(18)
    timestamps.foreach { case (lakeType, perSecond) =>
      for (_ <- 1 to 500; unit <- units) {
        val second = random.between(-8000000000L, 8000000000L)
        val ordinal = EpochOrdinal.ofSecond(unit, second)

        EpochOrdinal.range(unit, ordinal, lakeType) match {
          case Some((Literal.Timestamp(first), Literal.Timestamp(last))) =>
            def of(ticks: Long) = EpochOrdinal.of(unit, Literal.Timestamp(ticks), lakeType)
            assert(first <= second * perSecond && second * perSecond <= last)
            assert(of(first).contains(ordinal) && of(last).contains(ordinal))
            assert(!of(first - 1).contains(ordinal) && !of(last + 1).contains(ordinal))
          case other => fail(s"$other")
        }
      }
    }
  }

  test("ranges of dates are whole days") {
    val day = LocalDate.of(2024, 2, 29).toEpochDay.toInt
    val days = Literal.Date(day)

    assert(EpochOrdinal.range(Day, day.toLong, LakeType.Date).contains((days, days)))
    assert(EpochOrdinal.range(Hour, day * 24L, LakeType.Date).contains((days, days)))
    assert(
      EpochOrdinal.range(Month, 54 * 12 + 1, LakeType.Date) ==
        Some((Literal.Date(day - 28), days))
    )
    assert(
      EpochOrdinal.range(Year, -1, LakeType.Date) == Some((Literal.Date(-365), Literal.Date(-1)))
    )
  }

  test("ordinals that a type does not reach have no range, and edges are cut") {
    val most = Literal.Timestamp(Long.MaxValue)

    assert(EpochOrdinal.range(Day, 106751, LakeType.TimestampNs).map(_._2).contains(most))
    assert(EpochOrdinal.range(Day, 106752, LakeType.TimestampNs).isEmpty)
    assert(EpochOrdinal.range(Day, Long.MaxValue, LakeType.Timestamp).isEmpty)
    assert(EpochOrdinal.range(Hour, Long.MinValue, LakeType.Date).isEmpty)
    assert(EpochOrdinal.range(Year, 5879610, LakeType.Date).nonEmpty)
    assert(EpochOrdinal.range(Year, 1, LakeType.Time).isEmpty)
  }
}
