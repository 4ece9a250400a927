package ducklake.catalog.types.text

import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class AgeTextSpec extends AnyFunSuite {
  private val now = Instant.parse("2026-03-31T12:00:00Z")

  private def before(age: String): Option[String] = AgeText.before(now, age).map(_.toString)

  test("an age is subtracted by the calendar of UTC") {
    assert(before("2 days").contains("2026-03-29T12:00:00Z"))
    assert(before("1 month").contains("2026-02-28T12:00:00Z"))
    assert(before("1 day 02:30:00").contains("2026-03-30T09:30:00Z"))
    assert(before("0 seconds").contains("2026-03-31T12:00:00Z"))
  }

  test("an age is what DuckDB makes of the text") {
    assert(before("1.5 days").contains("2026-03-30T00:00:00Z"))
    assert(before("7").contains("2026-03-31T11:59:53Z"))
    assert(before("-3").contains("2026-03-31T12:00:03Z"))
    assert(before("+1 day").isEmpty)
  }

  test("a text that is no interval has no time") {
    assert(before("soon").isEmpty)
    assert(before("").isEmpty)
  }
}
