package ducklake.catalog.types.text

import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class InstantTextSpec extends AnyFunSuite {

  test("DuckDB's text is read with any fraction and any offset") {
    val texts = Map(
      "2026-11-20 17:13:52.952682+00" -> "2026-11-20T17:13:52.952682Z",
      "2026-11-20 17:13:52+00" -> "2026-11-20T17:13:52Z",
      "2026-11-20 17:13:52.9+02" -> "2026-11-20T15:13:52.900Z",
      "2026-11-20 17:13:52.9-03:30" -> "2026-11-20T20:43:52.900Z",
      "2026-11-20T17:13:52Z" -> "2026-11-20T17:13:52Z",
    )

    texts.foreach { case (text, expected) =>
      assert(InstantText.parse(text).contains(Instant.parse(expected)), text)
    }
  }

  test("other texts are refused") {
    Seq("", "now", "2026-13-20 17:13:52+00", "1763658832").foreach { text =>
      assert(InstantText.parse(text).isEmpty, text)
    }
  }
}
