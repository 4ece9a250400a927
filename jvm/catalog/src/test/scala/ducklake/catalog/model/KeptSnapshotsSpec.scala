package ducklake.catalog.model

import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

class KeptSnapshotsSpec extends AnyFunSuite {
  private val kept = KeptSnapshots(ArraySeq(3L, 5L, 9L))

  private def isUnseen(begin: Long, end: Option[Long]): Boolean =
    kept.isUnseen(Lifetime(SnapshotId(begin), end.map(SnapshotId(_))))

  test("a row is unseen when no kept snapshot lies in its lifetime, whose end is exclusive") {
    assert(isUnseen(0, Some(3)))
    assert(!isUnseen(0, Some(4)))
    assert(!isUnseen(3, Some(4)))
    assert(isUnseen(4, Some(5)))
    assert(!isUnseen(4, Some(6)))
    assert(isUnseen(6, Some(9)))
  }

  test("a row that lives, or that ended later than the newest known snapshot, is seen") {
    assert(!isUnseen(0, None))
    assert(!isUnseen(12, None))
    assert(!isUnseen(10, Some(11)))
    assert(!isUnseen(6, Some(10)))
  }
}
