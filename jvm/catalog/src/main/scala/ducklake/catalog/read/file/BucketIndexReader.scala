package ducklake.catalog.read.file

import ducklake.catalog.cache.BucketIndex
import ducklake.catalog.cache.BucketIndexBuilder
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.sql.query.IndexSql

/** Reads the buckets of an index's files, as far as the statistics of the index prove them. */
private[file] final class BucketIndexReader(session: Session, sql: IndexSql, table: LakeTable) {

  /** The buckets of all files.
    *
    * @param index has the statistics of the columns of the bucket keys
    */
  def read(index: FileIndex, specs: Vector[PartitionSpec]): BucketIndex = {
    val builder = new BucketIndexBuilder(index, specs, Set.empty)
    fill(builder, 0)
    builder.build()
  }

  /** The buckets of an index. Buckets of files of the older index are copied; only the buckets of
    * files whose id is `fromId` or greater are read. None when the older index has no buckets, or
    * cannot prove the buckets of the new files.
    */
  def advance(index: FileIndex, older: FileIndex, fromId: Long): Option[BucketIndex] =
    older.buckets.filter(canProve(_, index, fromId)).map { known =>
      val builder = new BucketIndexBuilder(index, known.specs, known.distrusted)
      index.ids.indices.foreach { at =>
        val before = older.position(index.ids(at), at)
        if (before >= 0) known.of(before).foreach(builder.put(at, _))
      }
      if (index.ids.lastOption.exists(_ >= fromId)) fill(builder, fromId)
      builder.build()
    }

  private def canProve(known: BucketIndex, index: FileIndex, fromId: Long): Boolean = {
    val specs = known.specs.map(_.id.value).toSet
    index.isPartitioned && BucketIndex.columns(known.specs).forall(index.columns.contains) &&
    index.ids.indices.forall { at =>
      index.ids(at) < fromId || index.partitionIds(at) < 0 || specs(index.partitionIds(at))
    }
  }

  /** The rows are ordered by file, then key. */
  private def fill(builder: BucketIndexBuilder, fromId: Long): Unit = {
    var file = -1L
    var values = Map.empty[Int, Option[String]]
    session.foreach(sql.partitionValues(table.id, fromId)) { row =>
      if (row.long(1) != file) {
        builder.add(file, values)
        file = row.long(1)
        values = Map.empty
      }
      values = values.updated(row.int(2), row.textOption(3))
    }
    builder.add(file, values)
  }
}
