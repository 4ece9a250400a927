package ducklake.spark.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.ReservedFields

/** The row lineage columns of files, which are not columns of the table. They hold the row id and
  * the first snapshot that a row had before the file was written.
  *
  * Source: format 5.3.
  */
object EmbeddedColumns {

  val rowId: Column = number(ReservedFields.rowId, ReservedFields.rowIdName)

  /** The first snapshot of a row. */
  val snapshotId: Column = number(ReservedFields.snapshotId, ReservedFields.snapshotIdName)

  private def number(id: Int, name: String): Column = Column(
    ColumnId(id.toLong),
    name,
    LakeType.Int64,
    nullsAllowed = true,
    initialDefault = None,
    default = None,
    comment = None,
    children = Vector.empty,
  )
}
