package ducklake.catalog.sql

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator

/** Statements about rows and deletes that are kept in the catalog. */
final class InlinedSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: name, schema version; oldest first. */
  def tables(table: TableId): Sql = InlinedSql.registered(dialect, table)

  /** Columns: schema version, the snapshot that brought it. */
  def schemaVersions(table: TableId): Sql =
    if (version.hasTableSchemaVersions)
      sql"""SELECT schema_version, begin_snapshot
           |FROM ${dialect.table("ducklake_schema_versions")}
           |WHERE table_id = $table"""
    else if (version.hasSchemaVersions)
      sql"""SELECT schema_version, begin_snapshot
           |FROM ${dialect.table("ducklake_schema_versions")}"""
    else
      sql"""SELECT schema_version, MIN(snapshot_id)
           |FROM ${dialect.table("ducklake_snapshot")}
           |GROUP BY schema_version"""

  /** Columns: row id, begin, then what is selected; by row id. */
  def rows(inlinedTable: String, at: SnapshotId, selected: Vector[InlinedSelection]): Sql =
    sql"""SELECT ${Sql.list(Vector(sql"row_id", sql"begin_snapshot") ++ selected.map(_.sql))}
         |FROM ${dialect.table(inlinedTable)} AS inlined
         |WHERE ${Visibility.at(at, "inlined")}
         |ORDER BY row_id, begin_snapshot"""

  /** Columns: visible rows. */
  def countRows(inlinedTable: String, at: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(inlinedTable)} AS inlined
         |WHERE ${Visibility.at(at, "inlined")}"""

  /** Columns: data file id, position; in this order. */
  def deletes(table: TableId, at: SnapshotId, choice: FileFilter): Sql = {
    val among = choice match {
      case FileFilter.All => Sql.empty
      case FileFilter.Ids(ids) => sql"AND file_id IN (${Sql.list(ids.map(id => id: SqlPart))})"
    }
    sql"""SELECT file_id, row_id
         |FROM ${dialect.table(InlinedSql.deletesTable(table))}
         |WHERE begin_snapshot <= $at $among
         |ORDER BY file_id, row_id"""
  }
}

object InlinedSql {

  /** What every inlined table begins with. */
  val ownColumns: Vector[String] = Vector("row_id", "begin_snapshot", "end_snapshot")

  /** Columns: name, schema version, NULL; oldest first. */
  private[sql] def registered(dialect: Dialect, table: TableId): Sql =
    sql"""SELECT inlined.table_name, inlined.schema_version, NULL
         |FROM ${dialect.table("ducklake_inlined_data_tables")} AS inlined
         |WHERE inlined.table_id = $table
         |ORDER BY inlined.schema_version"""

  /** The table of positions of data files that the catalog names as deleted; there is one only once it is
    * needed.
    */
  def deletesTable(table: TableId): String = s"ducklake_inlined_delete_${table.value}"
}
