package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.SnapshotId

/** The visibility test in SQL. [[ducklake.catalog.model.Lifetime]] is the same test outside SQL.
  *
  * Source: format 0.
  */
object Visibility {

  /** Whether a row of the table with this alias is visible. */
  def at(snapshot: SnapshotId, alias: String): Sql = {
    val row = Sql.identifier(alias)
    sql"($row.begin_snapshot <= $snapshot AND ($row.end_snapshot IS NULL OR $row.end_snapshot > $snapshot))"
  }
}
