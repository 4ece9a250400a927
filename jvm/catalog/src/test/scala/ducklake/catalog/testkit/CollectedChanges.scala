package ducklake.catalog.testkit

import ducklake.catalog.listing.ChangeReceiver
import ducklake.catalog.listing.InlinedRowChanges

/** Keeps all changes of inlined rows. */
final class CollectedChanges extends ChangeReceiver {
  private val collected = Vector.newBuilder[InlinedRowChanges]

  def begin(): Unit = collected.clear()

  def add(row: InlinedRowChanges): Unit = collected += row

  /** Ordered by row id, then begin. */
  def rows: Vector[InlinedRowChanges] =
    collected.result().sortBy(row => (row.rowId, row.begin.value))
}
