package ducklake.catalog.commit.migration

import org.scalatest.funsuite.AnyFunSuite

class LostRowOriginsSpec extends AnyFunSuite {

  test("the tables and the last of their snapshots are found") {
    val files = Vector("t" -> "2:1|3:3|4:4", "p" -> "7:1|12:2", "t" -> "5:1|6:2")
    assert(LostRowOrigins.of(files).contains(LostRowOrigins(Vector("p", "t"), 12)))
    assert(LostRowOrigins.of(Vector.empty).isEmpty)
  }
}
