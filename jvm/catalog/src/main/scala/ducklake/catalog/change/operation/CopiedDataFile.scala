package ducklake.catalog.change.operation

import ducklake.catalog.change.statistics.AddedRows
import ducklake.catalog.types.DataFileId

/** A copy of a data file.
  *
  * @param source the data file that was copied
  * @param path of the copy, relative to the table's directory
  * @param rows the rows of the file, as an addition to the table statistics
  */
final case class CopiedDataFile(source: DataFileId, path: String, rows: AddedRows)
