package ducklake.catalog.types.text

import org.scalatest.funsuite.AnyFunSuite

/** Expected texts are what DuckDB 1.5.5 prints in `ducklake_snapshots`. */
final class DuckDbNamesSpec extends AnyFunSuite {

  for (
    (name, printed) <- Vector(
      "base" -> "base",
      "sorted" -> "\"sorted\"",
      "select" -> "\"select\"",
      "Upper" -> "\"Upper\"",
      "with space" -> "\"with space\"",
      "say \"hi\"" -> "\"say \"\"hi\"\"\"",
      "_x9" -> "_x9",
      "9x" -> "\"9x\"",
    )
  )
    test(s"the name $name is printed $printed") {
      assert(DuckDbNames.quotedWhereNeeded(name) == printed)
    }
}
