package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.TableId

/** Statements on inlined tables whose schema version has no row in `ducklake_schema_versions`.
  * DuckDB 1.5.5 creates them at inserts into tables that were altered before, and reads them with
  * the columns of an older version (format 7.2).
  */
final class MissingSchemaVersionSql(dialect: Dialect, version: FormatVersion) {
  private val versions = dialect.table(MetadataSchema.SchemaVersions)
  private val columns = sql"(begin_snapshot, schema_version, table_id)"

  /** Columns: table id, name, schema version; for all these inlined tables. */
  def inlinedTables: Sql =
    sql"""SELECT inlined.table_id, inlined.table_name, inlined.schema_version
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)} AS inlined
         |WHERE ${isMissing(sql"inlined.table_id", sql"inlined.schema_version")}"""

  /** Inserts the missing schema versions that a snapshot has. A version begins with the first
    * snapshot that has it and sees the table.
    *
    * @param of the table; None: all tables
    */
  def insertOfSnapshots(of: Option[TableId]): Sql = {
    val chosen = of.fold(Sql.empty)(id => sql"AND inlined.table_id = $id")
    sql"""INSERT INTO $versions $columns
         |SELECT MIN(snapshot.snapshot_id), inlined.schema_version, inlined.table_id
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)} AS inlined
         |JOIN ${dialect.table(MetadataSchema.Snapshot)} AS snapshot
         |  ON snapshot.schema_version = inlined.schema_version
         |JOIN ${dialect.table(MetadataSchema.Table)} AS entry
         |  ON entry.table_id = inlined.table_id
         |  AND entry.begin_snapshot <= snapshot.snapshot_id
         |  AND (entry.end_snapshot IS NULL OR entry.end_snapshot > snapshot.snapshot_id)
         |WHERE ${isMissing(sql"inlined.table_id", sql"inlined.schema_version")}
         |$chosen
         |GROUP BY inlined.table_id, inlined.schema_version"""
  }

  /** Inserts the schema version of an inlined table when it is missing and the table has rows. The
    * version begins with the first row. This is for versions whose snapshots have expired.
    */
  def insertOfRows(table: TableId, name: String, schemaVersion: Long): Sql = {
    val begin = version.inlinedColumns.begin
    sql"""INSERT INTO $versions $columns
         |SELECT first.begin_snapshot, ${number(schemaVersion)}, ${number(table.value)}
         |FROM (SELECT MIN($begin) AS begin_snapshot FROM ${dialect.table(name)}) AS first
         |WHERE first.begin_snapshot IS NOT NULL
         |  AND ${isMissing(number(table.value), number(schemaVersion))}"""
  }

  /** One row when the inlined table has rows. */
  def anyRow(name: String): Sql = sql"SELECT 1 FROM ${dialect.table(name)} LIMIT 1"

  private def isMissing(table: Sql, schemaVersion: Sql): Sql =
    sql"""NOT EXISTS (
         |  SELECT 1
         |  FROM $versions AS known
         |  WHERE known.table_id = $table AND known.schema_version = $schemaVersion)"""

  private def number(value: Long): Sql = sql"CAST($value AS BIGINT)"
}
