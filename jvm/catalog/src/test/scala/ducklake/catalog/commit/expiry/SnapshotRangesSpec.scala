package ducklake.catalog.commit.expiry

import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.model.Lifetime
import ducklake.catalog.model.SnapshotGap
import ducklake.catalog.types.SnapshotId
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

  test("gaps hold the lives of the rows that nobody sees") {
    val kept = ranges(Iterator(5L, 6L, 9L, 10L, 20L))

    assert(kept.gaps == Vector(SnapshotGap(-1, 5), SnapshotGap(6, 9), SnapshotGap(10, 20)))
    for {
      begin <- 0L to 22L
      end <- begin to 22L
    } {
      val inGap = kept.gaps.exists(gap => begin > gap.after && end <= gap.next)
      val life = Lifetime(SnapshotId(begin), Some(SnapshotId(end)))
      assert(begin == end || inGap == kept.isUnseen(life), s"$begin to $end")
    }
  }
}
