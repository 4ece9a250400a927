package ducklake.spark.rowlevel

import ducklake.files.delete.CompressedPositions
import ducklake.spark.parquet.read.ReadColumn

import scala.collection.mutable

/** Collects the positions of deleted rows by data file. One task fills it on one thread. */
private[rowlevel] final class DeletedPositionsCollector {

  private val byFile = mutable.LongMap.empty[mutable.ArrayBuilder[Long]]
  private var lastFile = -2L
  private var last: mutable.ArrayBuilder[Long] = Array.newBuilder[Long]

  def add(file: Long, position: Long): Unit = {
    // Rows usually come file by file, so the map is read once for each file.
    if (file != lastFile) {
      last = byFile.getOrElseUpdate(file, Array.newBuilder[Long])
      lastFile = file
    }
    last += position
  }

  /** The positions by data file. */
  def inFiles: Map[Long, CompressedPositions] =
    byFile.iterator.collect {
      case (file, positions) if file != ReadColumn.FileId.NoFile =>
        file -> CompressedPositions(positions.result())
    }.toMap

  /** The row ids of inlined rows. */
  def inlined: Array[Long] =
    byFile.get(ReadColumn.FileId.NoFile).fold(Array.emptyLongArray)(_.result())
}
