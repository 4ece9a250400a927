package ducklake.spark.definition

import org.scalatest.funsuite.AnyFunSuite

final class QuotedNameSpec extends AnyFunSuite {

  for (
    (text, name) <- Vector(
      "a" -> "a",
      "`a b`" -> "a b",
      "`a``b`" -> "a`b",
      "\"a b\"" -> "a b",
      "\"a\"\"b\"" -> "a\"b",
      "`a`.`b`" -> "`a`.`b`",
      "`" -> "`",
    )
  )
    test(s"$text names $name") {
      assert(QuotedName.unquoted(text) == name)
    }
}
