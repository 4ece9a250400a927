package ducklake.catalog.change.operation

import ducklake.catalog.change.statistics.AddedRows
import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.Literal

/** A data file that was written and belongs to no snapshot yet.
  *
  * @param path relative to the table's directory, `/` between folders
  * @param partition the text of each key's value by key index (None inside: NULL), for the
  *   partition spec that the table has in this commit; None for a table that is not partitioned
  * @param statistics one entry for each leaf column that the file holds; packed where files may be
  *   very many
  */
final case class NewDataFile(
    path: String,
    recordCount: Long,
    physical: PhysicalFile,
    rowIds: RowIds,
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
) {

  def sizeBytes: Long = physical.sizeBytes

  /** Number of rows that get their row ids from the commit. */
  def freshIds: Long = rowIds match {
    case RowIds.Fresh => recordCount
    case RowIds.Embedded => 0L
  }

  /** The rows of the file, as an addition to the table statistics. */
  def rows: AddedRows =
    AddedRows(recordCount, freshIds, sizeBytes, PackedStatistics.unpacked(statistics))
}

/** Where the row ids of a new file come from. */
sealed trait RowIds

object RowIds {

  /** The commit assigns consecutive row ids in file order. */
  case object Fresh extends RowIds

  /** The file has a row id column. */
  case object Embedded extends RowIds
}

/** A positional delete file for one data file. It has all positions that are deleted at the new
  * snapshot.
  *
  * @param replaces the delete files before it, whose positions it includes
  * @param path relative to the table's directory
  */
final case class NewDeleteFile(
    dataFile: DataFileId,
    replaces: Vector[DeleteFileId],
    path: String,
    deleteCount: Long,
    physical: PhysicalFile,
)

/** The deletes of a data file at a snapshot. Delete files never change, and inlined deletes leave
  * the catalog only with a new delete file, so equal values mean equal deletes.
  *
  * @param files its live delete files
  * @param inlined the number of its inlined deletes
  */
final case class KnownDeletes(files: Set[DeleteFileId], inlined: Long)

object KnownDeletes {
  def of(file: DataFile): KnownDeletes =
    KnownDeletes(file.deleteFiles.map(_.id).toSet, file.inlinedDeletes.size.toLong)
}

/** A new inlined row.
  *
  * @param rowId the row id that an updated row keeps; None: the commit assigns the next row id
  * @param values of the table's top-level columns, in order
  */
final case class NewInlinedRow(rowId: Option[Long], values: Vector[Literal])
