package ducklake.spark.maintenance.rows

import ducklake.catalog.types.Column
import ducklake.spark.write.EmbeddedColumns

/** The columns of a new file: the table's columns, and after them row ids and snapshots of rows.
  *
  * @param embedsSnapshots whether the new file has the first snapshot of each row
  */
private[maintenance] final case class WrittenColumns(
    ofTable: Vector[Column],
    embedsRowIds: Boolean,
    embedsSnapshots: Boolean,
) {

  def all: Vector[Column] = ofTable ++
    Option.when(embedsRowIds)(EmbeddedColumns.rowId) ++
    Option.when(embedsSnapshots)(EmbeddedColumns.snapshotId)
}
