package ducklake.catalog.read

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.types.Literal

/** An inlined row with the values of the requested columns, in their order. */
final case class InlinedRow(
    table: String,
    rowId: Long,
    begin: SnapshotId,
    values: Vector[Literal],
)
