package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId

/** Ids that a transaction gives to its own data files and rows until its commit numbers them. They
  * are far above the ids of a catalog, and above the row ids that DuckDB repeats (see
  * [[RepeatedRowIds]]). No catalog ever has such an id.
  *
  * Source: ours, decision 30.
  */
object UncommittedIds {

  val First: Long = 4000000000000000000L

  /** The snapshot of rows that are not committed. Queries see NULL for it. */
  val Snapshot: SnapshotId = SnapshotId(First)

  def contains(id: Long): Boolean = id >= First
}
