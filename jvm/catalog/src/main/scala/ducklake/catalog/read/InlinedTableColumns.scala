package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedSql
import ducklake.catalog.sql.SchemaSql

/** Finds the columns of an inlined table: the columns that its table had when the schema version of
  * the inlined table began.
  *
  * Source: format 7.2. An inlined table that DuckDB created on demand may have a schema version
  * without a row in `ducklake_schema_versions`. Then the last change of the table before that
  * version counts.
  */
private[catalog] final class InlinedTableColumns(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
    table: TableId,
) {
  private val versions: Vector[(Long, Long)] =
    session.query(new InlinedSql(dialect, version).schemaVersions(table)) { row =>
      (row.long(1), row.long(2))
    }

  private val history: Vector[ColumnRow] =
    session.query(new SchemaSql(dialect, version).columnHistory(table))(ColumnRows.decodePast)

  def of(inlined: InlinedTable): Vector[Column] = {
    val known = versions.filter { case (version, _) => version <= inlined.schemaVersion }
    val begin = known
      .maxByOption { case (version, begin) => (version, begin) }
      .map(_._2)
      .orElse(history.map(_.lifetime.begin.value).minOption)
      .getOrElse(0L)
    ColumnRows.tree(history.filter(_.lifetime.isVisibleAt(SnapshotId(begin))), Map.empty)
  }
}
