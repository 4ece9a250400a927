package ducklake.catalog.cache

import org.scalatest.funsuite.AnyFunSuite

class BoundedCacheSpec extends AnyFunSuite {

  test("the entry used longest ago goes when the weight is too much") {
    val cache = new BoundedCache[String, Long](10, identity)
    cache.put("a", 4)
    cache.put("b", 4)

    val usedAgain = cache.find("a")
    cache.put("c", 4)

    assert(usedAgain.contains(4L))
    assert(cache.find("a").contains(4L))
    assert(cache.find("b").isEmpty)
    assert(cache.find("c").contains(4L))
  }

  test("one entry stays even when it is too heavy by itself") {
    val cache = new BoundedCache[String, Long](10, identity)
    cache.put("a", 4)

    cache.put("huge", 100)

    assert(cache.find("huge").contains(100L))
    assert(cache.find("a").isEmpty)
  }
}
