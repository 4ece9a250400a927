package ducklake.catalog.types

import org.scalatest.funsuite.AnyFunSuite

class NamesSpec extends AnyFunSuite {

  test("names are the same whatever the case of A to Z") {
    assert(Names.isSame("Order_ID9", "oRDER_id9"))
    assert(Names.folded("\u00c4Z[`") == "\u00c4z[`")
    assert(!Names.isSame("a", "ab"))
  }

  test("names that only Java takes for one are two") {
    val pairs = Vector(
      "\u00c4" -> "\u00e4",
      "\u212a" -> "k",
      "\u0130" -> "i",
      "\u00df" -> "\u1e9e",
      "\u00df" -> "SS",
      "\u03a3" -> "\u03c2",
      "[" -> "{",
    )

    pairs.foreach { case (left, right) => assert(!Names.isSame(left, right), s"$left $right") }
  }

  test("the very name is found before one in another case") {
    assert(Names.find(Vector("A", "a"), "a")(identity).contains("a"))
    assert(Names.find(Vector("\u00e4", "A"), "a")(identity).contains("A"))
    assert(Names.find(Vector("\u00e4"), "\u00c4")(identity).isEmpty)
  }
}
