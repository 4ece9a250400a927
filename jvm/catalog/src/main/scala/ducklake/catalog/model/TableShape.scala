package ducklake.catalog.model

import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId

/** The columns that a table had from a snapshot on, until its next shape.
  *
  * @param begin the first snapshot of the shape
  */
final case class TableShape(begin: SnapshotId, columns: Vector[Column])
