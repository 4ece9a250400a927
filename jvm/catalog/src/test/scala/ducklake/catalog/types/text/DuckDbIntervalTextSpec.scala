package ducklake.catalog.types.text

import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class DuckDbIntervalTextSpec extends AnyFunSuite {

  /** What DuckDB 1.5.5 casts these texts to. */
  private val recorded = Vector[(String, Option[Literal.Interval])](
    "2 days" -> Some(Literal.Interval(0, 2, 0)),
    "1 day ago" -> Some(Literal.Interval(0, -1, 0)),
    "1year 2MONTHS" -> Some(Literal.Interval(14, 0, 0)),
    "1 year 2 mons -3 days -04:05:06.789" -> Some(Literal.Interval(14, -3, -14706789000L)),
    "1.5 days" -> Some(Literal.Interval(0, 1, 43200000000L)),
    "-1.5 days" -> Some(Literal.Interval(0, -1, -43200000000L)),
    "1.5 months" -> Some(Literal.Interval(1, 15, 0)),
    "1.999 months" -> Some(Literal.Interval(1, 29, 0)),
    "1.9 years" -> Some(Literal.Interval(22, 0, 0)),
    "0.04 years" -> Some(Literal.Interval(0, 0, 0)),
    "0.5 quarter" -> Some(Literal.Interval(1, 15, 0)),
    "1.5 weeks" -> Some(Literal.Interval(0, 10, 43200000000L)),
    "2.5 hours" -> Some(Literal.Interval(0, 0, 9000000000L)),
    "1.25 min" -> Some(Literal.Interval(0, 0, 75000000)),
    "0.0000019 s" -> Some(Literal.Interval(0, 0, 1)),
    "1.9999 ms" -> Some(Literal.Interval(0, 0, 1999)),
    "1.5 us" -> Some(Literal.Interval(0, 0, 2)),
    "-1.4 us" -> Some(Literal.Interval(0, 0, -1)),
    "-1.5us" -> Some(Literal.Interval(0, 0, -2)),
    "7" -> Some(Literal.Interval(0, 0, 7000000)),
    "7.5" -> Some(Literal.Interval(0, 0, 7500000)),
    "-3" -> Some(Literal.Interval(0, 0, -3000000)),
    "7 " -> Some(Literal.Interval(0, 0, 7000000)),
    "@ 1 day" -> Some(Literal.Interval(0, 1, 0)),
    "1 c 2 dec 3 mil" -> Some(Literal.Interval(37440, 0, 0)),
    "1 h 5" -> None,
    "5 1 h" -> None,
    "3 d 12:30" -> Some(Literal.Interval(0, 3, 45000000000L)),
    "12:30:" -> Some(Literal.Interval(0, 0, 45000000000L)),
    "12:30:15 nonsense" -> Some(Literal.Interval(0, 0, 45015000000L)),
    "12:30 nonsense" -> None,
    "1:60" -> None,
    "-1 h -0:30:00" -> Some(Literal.Interval(0, 0, 1800000000)),
    "600:00:00" -> Some(Literal.Interval(0, 0, 2160000000000L)),
    "1 day\t2 h\n3 m" -> Some(Literal.Interval(0, 1, 7380000000L)),
    " 4 w AGO " -> Some(Literal.Interval(0, -28, 0)),
    "1 h ago ago" -> None,
    "ago" -> None,
    "5." -> Some(Literal.Interval(0, 0, 5000000)),
    "5. days" -> Some(Literal.Interval(0, 5, 0)),
    ".5 days" -> None,
    "+1 day" -> None,
    "1 day, 2 h" -> None,
    "- 1 day" -> None,
    "1e3 days" -> None,
    "1 fortnight" -> None,
    "1 epoch" -> None,
    "P1D" -> None,
    "2147483647 days" -> Some(Literal.Interval(0, 2147483647, 0)),
    "2147483648 days" -> None,
    "99999999999999999999 us" -> None,
    "178956970 years" -> Some(Literal.Interval(2147483640, 0, 0)),
    "178956971 years" -> None,
    "" -> None,
    " " -> None,
    "@" -> None,
  )

  test("texts are the intervals to which DuckDB casts them") {
    recorded.foreach { case (text, expected) =>
      assert(DuckDbIntervalText.parse(text) == expected, text)
    }
  }
}
