package ducklake.catalog.commit.expiry

import ducklake.catalog.model.KeptSnapshots
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

class SnapshotRangesSpec extends AnyFunSuite {

  private def ranges(ids: Iterator[Long]): KeptSnapshots = {
    val found = new SnapshotRanges
    ids.foreach(found.add)
    found.result()
  }

  test("ids without a gap are one range, however many they are") {
    val found = ranges(Iterator.range(7, 2000000).map(_.toLong))

    assert(found == KeptSnapshots(ArraySeq(7L), ArraySeq(1999999L)))
  }

  test("a gap begins another range") {
    assert(
      ranges(Iterator(0L, 1L, 3L, 7L, 8L)) ==
        KeptSnapshots(ArraySeq(0L, 3L, 7L), ArraySeq(1L, 3L, 8L))
    )
    assert(ranges(Iterator.empty) == KeptSnapshots(ArraySeq.empty, ArraySeq.empty))
  }
}
