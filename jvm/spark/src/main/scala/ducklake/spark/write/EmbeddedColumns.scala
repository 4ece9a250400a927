package ducklake.spark.write

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.ReservedFields

/** Columns of files that no table has: what a row was known by before the file was written.
  *
  * Source: format 5.3.
  */
object EmbeddedColumns {

  val rowId: Column = number(ReservedFields.rowId, ReservedFields.rowIdName)

  /** The snapshot that a row began with. */
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
