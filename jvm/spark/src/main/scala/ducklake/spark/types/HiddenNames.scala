package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.Names

/** The names of the hidden columns that each table has in addition to its own columns.
  *
  * Source: jvm/docs/reading.md, "Hidden columns".
  */
object HiddenNames {

  val ShownRowId: String = "rowid"
  val SnapshotId: String = "snapshot_id"
  val FileName: String = "filename"
  val FileRowNumber: String = "file_row_number"

  /** The names by which row-level statements identify rows. */
  val File: String = "_ducklake_file"
  val Position: String = "_ducklake_pos"
  val RowId: String = "_ducklake_row_id"
  val Loss: String = "_ducklake_loss"

  private val all =
    Set(ShownRowId, SnapshotId, FileName, FileRowNumber, File, Position, RowId, Loss)

  /** The table's own column that Spark means by a name. In a case-sensitive session a hidden column
    * and a column of the table may differ in case alone.
    */
  def ownColumn(columns: Vector[Column], name: String): Option[Column] =
    if (all(name)) columns.find(_.name == name) else Names.find(columns, name)(_.name)
}
