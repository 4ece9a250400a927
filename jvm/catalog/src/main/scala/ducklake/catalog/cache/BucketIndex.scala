package ducklake.catalog.cache

import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.PartitionId

import scala.collection.mutable

/** The proven buckets of the files of an index. Many files share the same buckets, so each distinct
  * combination is stored once.
  *
  * @param specs the partition specs by which the buckets were proven
  * @param codes for each file the position of its buckets in `values`; -1 for a file without proven
  *   buckets
  * @param distrusted specs with a file that has rows of another bucket than the stored bucket. No
  *   bucket of these specs counts, because bounds cannot show such rows in every file
  */
final class BucketIndex(
    val specs: Vector[PartitionSpec],
    val codes: Array[Int],
    val values: Vector[FilePartition],
    val distrusted: Set[PartitionId],
) {
  def bytes: Long = 4L * codes.length + 200L * values.length

  /** None for a file without proven buckets. */
  def of(at: Int): Option[FilePartition] = codes.lift(at).filter(_ >= 0).map(values)
}

object BucketIndex {

  /** The columns whose statistics prove the buckets of these specs. */
  def columns(specs: Vector[PartitionSpec]): Set[ColumnId] =
    specs.flatMap(_.keys).filter(_.isBucket).map(_.column).toSet
}

/** Builds a [[BucketIndex]]. Mutable, for one thread.
  *
  * @param index has the statistics of the columns that [[BucketIndex.columns]] names
  */
final class BucketIndexBuilder(
    index: FileIndex,
    specs: Vector[PartitionSpec],
    known: Set[PartitionId],
) {
  private val codes = Array.fill(index.size)(-1)
  private val combinations = mutable.LinkedHashMap.empty[FilePartition, Int]
  private val keys = specs.map(spec => spec.id.value -> spec.keys.filter(_.isBucket)).toMap
  private var distrusted = known

  /** Adds the stored partition values of a file. A file that is not in the index is left out. */
  def add(id: Long, stored: Map[Int, Option[String]]): Unit = {
    val at = index.position(id, -1)
    if (at >= 0 && index.isPartitioned) {
      val spec = index.partitionIds(at)
      val proven = keys.getOrElse(spec, Vector.empty).flatMap { key =>
        for {
          text <- stored.get(key.index)
          value <- proof(PartitionId(spec), key, at, text)
        } yield key.index -> value
      }
      if (proven.nonEmpty) put(at, FilePartition(PartitionId(spec), proven.toMap))
    }
  }

  /** Adds the proven buckets of a file. */
  def put(at: Int, buckets: FilePartition): Unit =
    codes(at) = combinations.getOrElseUpdate(buckets, combinations.size)

  def build(): BucketIndex = {
    val values = combinations.keysIterator.toVector
    if (distrusted.nonEmpty)
      codes.indices.foreach { at =>
        if (codes(at) >= 0 && distrusted(values(codes(at)).id)) codes(at) = -1
      }
    new BucketIndex(specs, codes, values, distrusted)
  }

  private def proof(
      spec: PartitionId,
      key: PartitionKey,
      at: Int,
      stored: Option[String],
  ): Option[Option[String]] =
    for {
      column <- index.columns.get(key.column)
      statistics <- column.statistics(at)
      value <- {
        val lakeType = column.dataType
        val proven = ProvenValue.of(key.transform, lakeType, statistics, Some(stored))
        if (proven.isEmpty)
          if (ProvenValue.isContradicted(key.transform, lakeType, statistics, stored))
            distrusted += spec
        proven
      }
    } yield value
}
