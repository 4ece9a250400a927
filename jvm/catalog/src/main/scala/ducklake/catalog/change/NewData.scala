package ducklake.catalog.change

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.DeleteFileId
import ducklake.catalog.types.Literal

/** A data file that was written and that no snapshot names yet.
  *
  * @param path relative to the table's directory, `/` between folders
  * @param footerSize bytes of the Parquet footer, without the eight bytes behind it
  * @param partition the text of each key's value by key index (None inside: NULL), for the layout
  *   that the table has in the commit; None for a table that is not partitioned
  * @param statistics one entry for each leaf column that the file holds
  */
final case class NewDataFile(
    path: String,
    recordCount: Long,
    sizeBytes: Long,
    footerSize: Long,
    rowIds: RowIds,
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
) {

  /** What it adds to what is known of its table. */
  def rows: AddedRows =
    AddedRows(
      recordCount,
      rowIds match {
        case RowIds.Fresh => recordCount
        case RowIds.Embedded => 0L
      },
      sizeBytes,
      statistics,
    )
}

/** New rows of a table, wherever they are kept.
  *
  * @param freshIds how many of them get row ids from the commit
  * @param sizeBytes of their file; 0 for rows that have none
  * @param statistics one entry for each leaf column that they have
  */
final case class AddedRows(
    recordCount: Long,
    freshIds: Long,
    sizeBytes: Long,
    statistics: Map[ColumnId, ColumnStatistics],
)

/** Where the rows of a new file have their ids from. */
sealed trait RowIds

object RowIds {

  /** The commit gives them, consecutive in file order. */
  case object Fresh extends RowIds

  /** The file holds them. */
  case object Embedded extends RowIds
}

/** A positional delete file for one data file, with all positions that are deleted from then on.
  *
  * @param replaces the delete file whose positions it includes; None when there was none
  * @param path relative to the table's directory
  */
final case class NewDeleteFile(
    dataFile: DataFileId,
    replaces: Option[DeleteFileId],
    path: String,
    deleteCount: Long,
    sizeBytes: Long,
    footerSize: Long,
)

/** A row on its way into the catalog.
  *
  * @param rowId that an updated row keeps; None: the commit gives it the next
  * @param values of the table's top-level columns, in order
  */
final case class NewInlinedRow(rowId: Option[Long], values: Vector[Literal])
