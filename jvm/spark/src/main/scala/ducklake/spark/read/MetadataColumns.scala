package ducklake.spark.read

import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.types.DataType

/** The hidden columns of all tables. Source: jvm/docs/reading.md, "Hidden columns". */
object MetadataColumns {

  private final class Hidden(
      override val name: String,
      val source: ReadColumn,
      override val comment: String,
      override val isNullable: Boolean = true,
  ) extends MetadataColumn {
    override def dataType: DataType = source.sparkType
  }

  private val hidden: Vector[Hidden] = Vector(
    new Hidden(
      HiddenNames.ShownRowId,
      ReadColumn.RowId,
      "Row id: stays with the row for its whole life",
    ),
    new Hidden(HiddenNames.SnapshotId, ReadColumn.SnapshotOfRow, "Snapshot that added the row"),
    new Hidden(
      HiddenNames.FileName,
      ReadColumn.FileName,
      "Data file, or inlined table, that holds the row",
    ),
    new Hidden(
      HiddenNames.FileRowNumber,
      ReadColumn.FileRowNumber,
      "Position of the row in its file",
    ),
  )

  /** The columns by which row-level statements identify rows. They are of no use for users. */
  private val rowLevelColumns: Vector[Hidden] = Vector(
    new Hidden(
      HiddenNames.File,
      ReadColumn.FileId,
      "Data file of the row, by id",
      isNullable = false,
    ),
    new Hidden(
      HiddenNames.Position,
      ReadColumn.PositionInFile,
      "Position in that file",
      isNullable = false,
    ),
    new Hidden(HiddenNames.RowId, ReadColumn.RowId, "Row id"),
    new Hidden(HiddenNames.Loss, ReadColumn.Loss, "Column that Spark cannot carry, by id"),
  )

  /** All hidden columns. */
  def asArray: Array[MetadataColumn] = (hidden ++ rowLevelColumns).toArray

  /** The hidden columns for users. */
  def shown: Array[MetadataColumn] = hidden.toArray

  /** The hidden column of this name; None when there is none. */
  def find(name: String): Option[ReadColumn] =
    (hidden ++ rowLevelColumns).find(_.name.equalsIgnoreCase(name)).map(_.source)

  /** The first of the names that a row-level statement would confuse with a column by which it
    * identifies rows.
    */
  def hiddenBy(names: Seq[String]): Option[String] =
    names.find(name => rowLevelColumns.exists(_.name.equalsIgnoreCase(name)))
}
