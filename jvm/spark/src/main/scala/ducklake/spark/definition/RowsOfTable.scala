package ducklake.spark.definition

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.model.LakeTable

/** Asks the catalog database whether a table has rows. */
object RowsOfTable {

  /** Empty only when it is certain that the table has no rows. */
  def presence(base: LakeSnapshot, table: LakeTable): RowPresence = {
    val counts = base.counts(table)
    if (counts.isExact && counts.liveRows == 0) RowPresence.Empty else RowPresence.HasRows
  }
}
