package ducklake.spark.read

import ducklake.spark.parquet.read.ReadColumn
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.types.DataType

/** The hidden columns of every table. Source: interface 2. */
object MetadataColumns {

  val ShownRowId: String = "rowid"
  val File: String = "_ducklake_file"
  val Place: String = "_ducklake_pos"
  val RowId: String = "_ducklake_row_id"
  val Loss: String = "_ducklake_loss"

  private final class Hidden(
      override val name: String,
      val source: ReadColumn,
      override val comment: String,
      override val isNullable: Boolean = true,
  ) extends MetadataColumn {
    override def dataType: DataType = source.sparkType
  }

  private val hidden: Vector[Hidden] = Vector(
    new Hidden(ShownRowId, ReadColumn.RowId, "Row id: stays with the row for its whole life"),
    new Hidden("snapshot_id", ReadColumn.SnapshotOfRow, "Snapshot that added the row"),
    new Hidden("filename", ReadColumn.FileName, "Data file, or inlined table, that holds the row"),
    new Hidden("file_row_number", ReadColumn.FileRowNumber, "Position of the row in its file"),
  )

  /** What row-level statements tell rows by; of no use to anybody else. */
  private val own: Vector[Hidden] = Vector(
    new Hidden(File, ReadColumn.FileId, "Data file of the row, by id", isNullable = false),
    new Hidden(Place, ReadColumn.PlaceInFile, "Position in that file", isNullable = false),
    new Hidden(RowId, ReadColumn.RowId, "Row id"),
    new Hidden(Loss, ReadColumn.Loss, "Column that Spark cannot carry, by id"),
  )

  def asArray: Array[MetadataColumn] = (hidden ++ own).toArray

  /** Those that are of use to people. */
  def shown: Array[MetadataColumn] = hidden.toArray

  /** The hidden column of this name. */
  def find(name: String): Option[ReadColumn] =
    (hidden ++ own).find(_.name.equalsIgnoreCase(name)).map(_.source)

  /** The first of the names that a row-level statement would take for what it tells rows by. */
  def hiddenBy(names: Seq[String]): Option[String] =
    names.find(name => own.exists(_.name.equalsIgnoreCase(name)))
}
