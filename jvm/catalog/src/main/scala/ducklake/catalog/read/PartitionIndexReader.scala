package ducklake.catalog.read

import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.PartitionIndex
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionId
import ducklake.catalog.sql.IndexSql

import scala.collection.mutable

/** Reads the partition values of an index's files. */
private[read] final class PartitionIndexReader(session: Session, sql: IndexSql, table: LakeTable) {

  /** The values of all files. */
  def read(index: FileIndex): PartitionIndex = {
    val codes = new PartitionCodes(index)
    fill(codes, 0)
    codes.build()
  }

  /** The values of files that an older index has too are taken from it; only those of files whose
    * id is `fromId` or greater are read. None when the older index has no values.
    */
  def advance(index: FileIndex, older: FileIndex, fromId: Long): Option[PartitionIndex] =
    older.partitions.filter(_ => index.isPartitioned).map { known =>
      val codes = new PartitionCodes(index)
      index.ids.indices.foreach { at =>
        val before = older.position(index.ids(at), at)
        if (before >= 0) known.of(before).foreach(codes.put(at, _))
      }
      if (index.ids.lastOption.exists(_ >= fromId)) fill(codes, fromId)
      codes.build()
    }

  /** The rows are ordered by file, then key. */
  private def fill(codes: PartitionCodes, fromId: Long): Unit = {
    var file = -1L
    var values = Map.empty[Int, Option[String]]
    session.foreach(sql.partitionValues(table.id, fromId)) { row =>
      if (row.long(1) != file) {
        codes.ofFile(file, values)
        file = row.long(1)
        values = Map.empty
      }
      values = values.updated(row.long(2).toInt, row.textOption(3))
    }
    codes.ofFile(file, values)
  }
}

/** The partition values of files, each distinct combination once. */
private final class PartitionCodes(index: FileIndex) {
  private val codes = Array.fill(index.size)(-1)
  private val known = mutable.LinkedHashMap.empty[FilePartition, Int]

  /** A file that the index does not have is left out. */
  def ofFile(id: Long, values: Map[Int, Option[String]]): Unit = {
    val at = index.position(id, -1)
    if (at >= 0 && index.partitionIds(at) >= 0)
      put(at, FilePartition(PartitionId(index.partitionIds(at)), values))
  }

  def put(at: Int, partition: FilePartition): Unit =
    codes(at) = known.getOrElseUpdate(partition, known.size)

  def build(): PartitionIndex = new PartitionIndex(codes, known.keysIterator.toVector)
}
