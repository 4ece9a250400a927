package ducklake.catalog.listing

import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId

/** An inlined row with the values of the requested columns, in their order. */
final case class InlinedRow(
    table: String,
    rowId: Long,
    begin: SnapshotId,
    values: Vector[Literal],
)
