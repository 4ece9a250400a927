package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

/** Indexes of several lakes in one process. */
class FileIndexesSpec extends AnyFunSuite {

  private val lake = LakeIdentity("00000000-0000-4000-8000-000000000000", "/data/", 1L)
  private val at = SnapshotId(1)

  private def index(files: Int, at: SnapshotId = this.at): FileIndex = {
    val snapshot = Snapshot(at, Instant.EPOCH, 0L, 0L, 0L)
    val longs = Array.fill(files)(0L)
    new FileIndex(snapshot, snapshot, longs, longs, Array.empty, Map.empty, None)
  }

  test("lakes share one bound, and the index used longest ago goes first") {
    val bytes = index(1000).weight
    val all = FileIndexes.limited(3 * bytes)
    val lakes = Vector.fill(5)(new FileIndexes(all))

    lakes.foreach(_.keep(lake, TableId(1), index(1000)))

    val kept = lakes.map(_.nearest(lake, TableId(1), at).nonEmpty)
    assert(kept == Vector(false, false, true, true, true))
    assert(all.total == 3 * bytes)
  }

  test("lakes with the same past do not see each other's indexes") {
    val all = FileIndexes.limited(1000000L)
    val (one, copy) = (new FileIndexes(all), new FileIndexes(all))

    one.keep(lake, TableId(1), index(10))

    assert(copy.nearest(lake, TableId(1), at).isEmpty)
    copy.keep(lake, TableId(1), index(20))
    one.clear()
    assert(one.nearest(lake, TableId(1), at).isEmpty)
    assert(copy.nearest(lake, TableId(1), at).map(_.size).contains(20))
  }

  test("of a table's newest index there is one, and past ones are beside it") {
    val all = FileIndexes.limited(1000000L)
    val indexes = new FileIndexes(all)
    def sizeAt(id: Long) = indexes.nearest(lake, TableId(1), SnapshotId(id)).map(_.size)

    indexes.keep(lake, TableId(1), index(10, SnapshotId(5)))
    indexes.keep(lake, TableId(1), index(20, SnapshotId(7)))
    assert(sizeAt(5).isEmpty)
    indexes.keep(lake, TableId(1), index(10, SnapshotId(5)))

    assert(Seq(4L, 5L, 6L, 7L, 9L).map(sizeAt) == Seq(None, Some(10), None, Some(20), Some(20)))
    assert(all.total == index(10).weight + index(20).weight)
  }

  test("what is known of tables goes with their indexes") {
    val all = FileIndexes.limited(10 * index(1000).weight)
    val indexes = new FileIndexes(all)

    (1 to 5000).foreach(table => indexes.keep(lake, TableId(table.toLong), index(1000)))

    assert(all.size == 10)
    assert(indexes.nearest(lake, TableId(1), at).isEmpty)
  }

  test("the bound of the process is a quarter of the heap, and half a gigabyte at most") {
    val heap = Runtime.getRuntime.maxMemory
    assert(FileIndexes.LimitBytes == math.min(heap / 4, 536870912L))
  }
}
