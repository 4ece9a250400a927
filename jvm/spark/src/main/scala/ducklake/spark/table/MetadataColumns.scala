package ducklake.spark.table

import ducklake.spark.read.ReadColumn
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.types.DataType

/** The hidden columns of every table. Source: interface 2. */
object MetadataColumns {

  private final class Hidden(
      override val name: String,
      val source: ReadColumn,
      override val comment: String,
  ) extends MetadataColumn {
    override def dataType: DataType = source.sparkType
    override def isNullable: Boolean = true
  }

  private val hidden: Vector[Hidden] = Vector(
    new Hidden("rowid", ReadColumn.RowId, "Row id: stays with the row for its whole life"),
    new Hidden("snapshot_id", ReadColumn.SnapshotOfRow, "Snapshot that added the row"),
    new Hidden("filename", ReadColumn.FileName, "Data file, or inlined table, that holds the row"),
    new Hidden("file_row_number", ReadColumn.FileRowNumber, "Position of the row in its file"),
  )

  def asArray: Array[MetadataColumn] = hidden.toArray

  /** The hidden column of this name. */
  def find(name: String): Option[ReadColumn] =
    hidden.find(_.name.equalsIgnoreCase(name)).map(_.source)
}
