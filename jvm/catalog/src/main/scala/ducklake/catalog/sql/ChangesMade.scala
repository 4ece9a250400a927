package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** The column `changes_made`. DuckDB 2.0 and this library store NULL for a snapshot that changed
  * nothing, others store an empty text.
  *
  * Source: format 4.4 and 14.7.
  */
private[sql] object ChangesMade {

  /** The text of a row of `ducklake_snapshot_changes`; empty for no changes. */
  val text: Sql = sql"COALESCE(changes_made, '')"

  /** The text, where `ducklake_snapshot_changes` is joined to snapshots as `changes`; NULL when the
    * snapshot has no row there, so that its changes are unknown.
    */
  val joined: Sql =
    sql"CASE WHEN changes.snapshot_id IS NOT NULL THEN COALESCE(changes.changes_made, '') END"
}
