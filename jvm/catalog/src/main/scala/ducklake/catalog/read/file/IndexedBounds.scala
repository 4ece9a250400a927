package ducklake.catalog.read.file

import ducklake.catalog.cache.ColumnIndex
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.listing.FileBounds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId

import java.util.Arrays

/** The bounds of very many files: packed, and made into objects when they are asked for. */
private[file] final class IndexedBounds private (
    ids: Array[Long],
    columns: Map[ColumnId, ColumnIndex],
) extends FileBounds {

  def of(file: DataFileId): Map[ColumnId, ColumnStatistics] =
    Arrays.binarySearch(ids, file.value) match {
      case at if at < 0 => Map.empty
      case at =>
        columns.flatMap { case (id, column) => column.statistics(at).map(id -> _) }
    }
}

private[file] object IndexedBounds {

  /** Holds these columns only, so that the rest of the index can be freed. */
  def of(index: FileIndex, columns: Set[ColumnId]): IndexedBounds =
    new IndexedBounds(
      index.ids,
      columns.flatMap(id => index.columns.get(id).map(id -> _)).toMap,
    )
}
