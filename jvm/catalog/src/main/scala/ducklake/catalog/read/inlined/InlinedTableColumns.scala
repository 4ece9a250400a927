package ducklake.catalog.read.inlined

import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.read.schema.ColumnRow
import ducklake.catalog.read.schema.ColumnRowReader
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.query.SchemaSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Finds the columns of an inlined table: the columns that its table had when the schema version of
  * the inlined table began.
  *
  * Source: format 7.2. An inlined table that DuckDB created on demand may have a schema version
  * without a row in `ducklake_schema_versions`, and up to 0.2 the snapshots of a schema version may
  * have expired. Then its columns are the columns at its first row; when it has no rows, the
  * columns after the last change of the table before that version.
  */
private[catalog] final class InlinedTableColumns(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
    table: TableId,
) {
  private val sql = new InlinedSql(dialect, version)

  private val versions: Vector[(Long, Long)] =
    session.query(sql.schemaVersions(table))(row => (row.long(1), row.long(2)))

  private val history: Vector[ColumnRow] =
    session.query(new SchemaSql(dialect, version).columnHistory(table))(ColumnRowReader.decodePast)

  def of(inlined: InlinedTable): Vector[Column] = {
    val known = versions
      .filter { case (version, _) => version <= inlined.schemaVersion }
      .maxByOption { case (version, begin) => (version, begin) }
    val isRecorded = known.exists { case (version, _) => version == inlined.schemaVersion }
    val begin = Option
      .unless(isRecorded)(firstRow(inlined))
      .flatten
      .orElse(known.map(_._2))
      .orElse(history.map(_.lifetime.begin.value).minOption)
      .getOrElse(0L)
    ColumnRowReader.tree(history.filter(_.lifetime.isVisibleAt(SnapshotId(begin))), Map.empty)
  }

  private def firstRow(inlined: InlinedTable): Option[Long] =
    session.first(sql.firstBegin(inlined.name))(_.longOption(1)).flatten
}
