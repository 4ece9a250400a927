package ducklake.catalog.listing

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId

/** The bounds of the files of a listing, and their numbers of NULLs, for the requested columns. Of
  * the number of values it is known at most whether it is 0.
  */
trait FileBounds {

  /** Absent where the catalog has no row. */
  def of(file: DataFileId): Map[ColumnId, ColumnStatistics]
}

object FileBounds {
  val none: FileBounds = Known(Map.empty)

  final case class Known(byFile: Map[DataFileId, Map[ColumnId, ColumnStatistics]])
      extends FileBounds {
    def of(file: DataFileId): Map[ColumnId, ColumnStatistics] = byFile.getOrElse(file, Map.empty)
  }

  /** Those of some files, and others of the other files. */
  final case class Both(
      some: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
      others: FileBounds,
  ) extends FileBounds {
    def of(file: DataFileId): Map[ColumnId, ColumnStatistics] =
      some.getOrElse(file, others.of(file))
  }
}
