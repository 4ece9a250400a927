package ducklake.catalog.cache

import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.Snapshot
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class BucketIndexSpec extends AnyFunSuite {
  private val column = ColumnId(1)
  private val specs = Vector(
    PartitionSpec(PartitionId(7), Vector(PartitionKey(0, column, Transform.Bucket(16)))),
    PartitionSpec(PartitionId(8), Vector(PartitionKey(0, column, Transform.Bucket(16)))),
  )

  /** @param files the spec, the one value and the stored bucket of each file */
  private def built(files: (Long, Long, String)*): BucketIndex = {
    val snapshot = Snapshot(SnapshotId(1), Instant.EPOCH, 1, 10, 10)
    val index = new FileIndexBuilder
    val known = new ColumnIndexBuilder(LakeType.Int64, files.size)
    files.zipWithIndex.foreach { case ((spec, value, _), at) =>
      index.add(at.toLong, 100, spec)
      val text = Some(value.toString)
      val counts = ColumnIndex.Flags.someValues | ColumnIndex.Flags.noNulls
      known.put(at, text, text, counts.toInt, 0)
    }
    val complete =
      index.build(snapshot, snapshot).withColumns(Map(column -> known.build()))
    val builder = new BucketIndexBuilder(complete, specs, Set.empty)
    files.zipWithIndex.foreach { case ((_, _, stored), at) =>
      builder.add(at.toLong, Map(0 -> Some(stored)))
    }
    builder.build()
  }

  private def buckets(index: BucketIndex, files: Int): Vector[Option[String]] =
    Vector.tabulate(files)(index.of(_).flatMap(_.values(0)))

  test("proven buckets are kept, those of equal files once") {
    val index = built((7, 34, "3"), (7, 34, "3"), (8, 34, "3"))

    assert(buckets(index, 3) == Vector(Some("3"), Some("3"), Some("3")))
    assert(index.values.size == 2 && index.distrusted.isEmpty)
  }

  test("a file in the wrong bucket makes all buckets of its spec unknown") {
    val index = built((7, 34, "3"), (7, 34, "4"), (8, 34, "3"))

    assert(buckets(index, 3) == Vector(None, None, Some("3")))
    assert(index.distrusted == Set(PartitionId(7)))
  }

  test("a number that is no bucket makes all buckets of its spec unknown") {
    assert(buckets(built((8, 34, "99"), (8, 34, "3")), 2) == Vector(None, None))
  }
}
