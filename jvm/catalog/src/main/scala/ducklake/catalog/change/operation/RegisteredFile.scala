package ducklake.catalog.change.operation

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId

/** An existing Parquet file that becomes a data file of a table.
  *
  * @param path absolute, or relative to the table's directory when the file is below it
  * @param mapping the name mapping of the file: a position in the mappings of the operation. None
  *   for a file whose field ids are the column ids of the table
  * @param partition as in [[NewDataFile]]
  * @param statistics one entry for each leaf column that the file holds, and one for each column
  *   whose value comes from the path: the value is both bounds
  * @param deletes the deleted rows of the file
  */
final case class RegisteredFile(
    path: LakePath,
    mapping: Option[Int],
    recordCount: Long,
    physical: PhysicalFile,
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
    deletes: Option[RegisteredDeletes] = None,
) {

  private[catalog] def data: NewDataFile =
    NewDataFile(path.text, recordCount, physical, RowIds.Fresh, partition, statistics)
}

/** The delete file of an existing file. It is new, and has all positions that are deleted.
  *
  * @param path relative to the table's directory
  * @param deleteCount less than the rows of the file
  */
final case class RegisteredDeletes(path: String, deleteCount: Long, physical: PhysicalFile)

/** The columns of a name mapping as rows of `ducklake_name_mapping`. */
private[change] object MappingRows {

  /** @param number the column's number in the mapping, depth first from zero
    * @param parent the number of the column above
    */
  final case class Numbered(number: Long, parent: Option[Long], column: MappedColumn)

  def of(columns: Vector[MappedColumn]): Vector[Numbered] = below(columns, None, 0L)

  private def below(
      columns: Vector[MappedColumn],
      parent: Option[Long],
      first: Long,
  ): Vector[Numbered] =
    columns.foldLeft(Vector.empty[Numbered]) { (done, column) =>
      val number = first + done.size
      val own = Numbered(number, parent, column)
      (done :+ own) ++ below(column.children, Some(number), number + 1)
    }
}
