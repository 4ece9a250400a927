package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

import scala.collection.immutable.VectorMap

/** Indexes of several lakes in one process. */
class FileIndexesSpec extends AnyFunSuite {

  private val lake = LakeIdentity("00000000-0000-4000-8000-000000000000", "/data/", 1L)
  private val at = SnapshotId(1)

  private def index(files: Int, at: SnapshotId = this.at): FileIndex = {
    val snapshot = Snapshot(at, Instant.EPOCH, 0L, 0L, 0L)
    val longs = Array.fill(files)(0L)
    new FileIndex(snapshot, snapshot, longs, longs, Array.empty, VectorMap.empty, None)
  }

  test("lakes share one bound, and the index used longest ago goes first") {
    val bytes = index(1000).weight
    val all = FileIndexes.limited(3 * bytes)
    val lakes = Vector.fill(5)(new FileIndexes(all))

    lakes.foreach(_.keep(lake, TableId(1), index(1000), Set.empty))

    val kept = lakes.map(_.nearest(lake, TableId(1), at).nonEmpty)
    assert(kept == Vector(false, false, true, true, true))
    assert(all.total == 3 * bytes)
  }

  test("lakes with the same past do not see each other's indexes") {
    val all = FileIndexes.limited(1000000L)
    val (one, copy) = (new FileIndexes(all), new FileIndexes(all))

    one.keep(lake, TableId(1), index(10), Set.empty)

    assert(copy.nearest(lake, TableId(1), at).isEmpty)
    copy.keep(lake, TableId(1), index(20), Set.empty)
    one.clear()
    assert(one.nearest(lake, TableId(1), at).isEmpty)
    assert(copy.nearest(lake, TableId(1), at).map(_.size).contains(20))
  }

  test("of a table's newest index there is one, and past ones are beside it") {
    val all = FileIndexes.limited(1000000L)
    val indexes = new FileIndexes(all)
    def sizeAt(id: Long) = indexes.nearest(lake, TableId(1), SnapshotId(id)).map(_.size)

    indexes.keep(lake, TableId(1), index(10, SnapshotId(5)), Set.empty)
    indexes.keep(lake, TableId(1), index(20, SnapshotId(7)), Set.empty)
    assert(sizeAt(5).isEmpty)
    indexes.keep(lake, TableId(1), index(10, SnapshotId(5)), Set.empty)

    assert(Seq(4L, 5L, 6L, 7L, 9L).map(sizeAt) == Seq(None, Some(10), None, Some(20), Some(20)))
    assert(all.total == index(10).weight + index(20).weight)
  }

  test("what is known of tables goes with their indexes") {
    val all = FileIndexes.limited(10 * index(1000).weight)
    val indexes = new FileIndexes(all)

    (1 to 5000).foreach(table => indexes.keep(lake, TableId(table.toLong), index(1000), Set.empty))

    assert(all.size == 10)
    assert(indexes.nearest(lake, TableId(1), at).isEmpty)
  }

  private def column(bytes: Int): ColumnIndex =
    new ColumnIndexBuilder(LakeType.Int64, bytes / 17).build()

  private def columnsOf(indexes: FileIndexes): Option[Vector[Long]] =
    indexes.nearest(lake, TableId(1), at).map(_.columns.keysIterator.map(_.value).toVector)

  test("of an index above the bound the columns stay that were used last") {
    val bare = index(1000)
    val three = bare.weight + 3 * 17000L
    val indexes = new FileIndexes(FileIndexes.limited(three))
    def use(ids: Long*): Unit = {
      val used = ids.map(ColumnId(_)).toSet
      val known = indexes.nearest(lake, TableId(1), at).getOrElse(bare)
      val missing = used.filterNot(known.columns.contains)
      val whole = known.withColumns(missing.map(_ -> column(17000)).toMap)
      assert(used.subsetOf(whole.columns.keySet))
      indexes.keep(lake, TableId(1), whole, used)
    }

    use(1)
    use(2)
    use(3)
    assert(columnsOf(indexes).contains(Vector(1, 2, 3)))
    use(1)
    assert(columnsOf(indexes).contains(Vector(2, 3, 1)))
    use(4)
    assert(columnsOf(indexes).contains(Vector(3, 1, 4)))
    use(5, 6, 1, 2)
    assert(columnsOf(indexes).map(_.toSet).contains(Set(1L, 2L, 5L, 6L)))
    use(7)
    assert(columnsOf(indexes).map(_.size).contains(3))
  }

  test("columns go before the buckets that need none of them") {
    val layout = PartitionKey(0, ColumnId(1), Transform.Bucket(4))
    val specs = Vector(PartitionSpec(PartitionId(1), Vector(layout)))
    val buckets = new BucketIndex(specs, Array.fill(1000)(-1), Vector.empty, Set.empty)
    val columns = Seq(1L, 2L).map(ColumnId(_) -> column(17000)).toMap
    val whole = index(1000).withColumns(columns).withBuckets(buckets)
    def within(limit: Long, used: Long*): (Set[Long], Boolean) = {
      val left = whole.within(limit, used.map(ColumnId(_)).toSet)
      (left.columns.keySet.map(_.value), left.buckets.nonEmpty)
    }

    assert(within(whole.weight) == (Set(1L, 2L), true))
    assert(within(whole.weight - 1, 2) == (Set(2L), true))
    assert(within(whole.weight - 17001, 2) == (Set(2L), false))
    assert(within(0, 1) == (Set(1L), true))
    assert(within(0) == (Set.empty, false))
  }

  test("the bound of the process is a quarter of the heap, and half a gigabyte at most") {
    val heap = Runtime.getRuntime.maxMemory
    assert(FileIndexes.LimitBytes == math.min(heap / 4, 536870912L))
  }
}
