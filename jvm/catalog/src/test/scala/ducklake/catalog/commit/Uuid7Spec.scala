package ducklake.catalog.commit

import org.scalatest.funsuite.AnyFunSuite

class Uuid7Spec extends AnyFunSuite {

  test("an id says its version and variant") {
    val made = Uuid7.next()

    assert(made.version() == 7 && made.variant() == 2)
  }

  test("an id begins with the time") {
    val before = System.currentTimeMillis()
    val made = Uuid7.next().getMostSignificantBits >>> 16

    assert(made >= before && made <= System.currentTimeMillis())
  }
}
