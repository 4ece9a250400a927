package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.PathValues
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart

/** Statements of the repairs that belong to a migration. */
final class RepairSql(dialect: Dialect) {
  private val tableStats = dialect.table(MetadataSchema.TableColumnStats)
  private val versions = dialect.table(MetadataSchema.SchemaVersions)
  private val fileStats = dialect.table(MetadataSchema.FileColumnStats)

  /** Columns: table id, column id, type; for all rows of columns, oldest first. */
  def columnTypes: Sql =
    sql"""SELECT table_id, column_id, column_type
         |FROM ${dialect.table(MetadataSchema.Column)}
         |ORDER BY begin_snapshot"""

  /** Columns: table id, column id, min, max. */
  def tableBounds: Sql =
    sql"""SELECT table_id, column_id, min_value, max_value
         |FROM $tableStats
         |WHERE min_value IS NOT NULL OR max_value IS NOT NULL"""

  def removeTableBounds(table: Long, columns: Vector[Long]): Sql =
    sql"""DELETE FROM $tableStats
         |WHERE table_id = $table AND column_id IN (${numbers(columns)})"""

  /** Columns: smallest and largest id of the files with statistics. */
  def fileRange: Sql = sql"SELECT MIN(data_file_id), MAX(data_file_id) FROM $fileStats"

  /** Columns: table id, column id, min, max, file id. Values of a file's path are left out. */
  def fileBounds(from: Long, until: Long): Sql =
    sql"""SELECT table_id, column_id, min_value, max_value, data_file_id
         |FROM $fileStats AS bounds
         |WHERE data_file_id >= $from AND data_file_id < $until
         |  AND (min_value IS NOT NULL OR max_value IS NOT NULL)
         |  AND ${PathValues.areNotThese(dialect)}"""

  def removeFileBounds(table: Long, column: Long, files: Vector[Long]): Sql =
    sql"""UPDATE $fileStats
         |SET min_value = NULL, max_value = NULL
         |WHERE table_id = $table AND column_id = $column
         |  AND data_file_id IN (${numbers(files)})"""

  /** Columns: table id, begin, schema version; for all tables. */
  def schemaVersions: Sql = sql"SELECT table_id, begin_snapshot, schema_version FROM $versions"

  def removeSchemaVersion(table: Long, begin: Long, schemaVersion: Long): Sql =
    sql"""DELETE FROM $versions
         |WHERE table_id = $table AND begin_snapshot = $begin AND schema_version = $schemaVersion"""

  /** Columns: table id, schema version; for all inlined tables. */
  def inlinedVersions: Sql =
    sql"""SELECT table_id, schema_version
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)}"""

  /** Columns: table id, snapshot; for each snapshot in which a table got its first or other
    * columns. The drop of a table does not count.
    */
  def shapeChanges: Sql = {
    val tables = dialect.table(MetadataSchema.Table)
    val columns = dialect.table(MetadataSchema.Column)
    sql"""SELECT table_id, MIN(begin_snapshot)
         |FROM $tables
         |GROUP BY table_id
         |UNION
         |SELECT table_id, begin_snapshot
         |FROM $columns
         |UNION
         |SELECT ended.table_id, ended.end_snapshot
         |FROM $columns AS ended
         |JOIN $tables AS entry ON entry.table_id = ended.table_id
         |WHERE ended.end_snapshot IS NOT NULL
         |  AND (entry.end_snapshot IS NULL OR entry.end_snapshot > ended.end_snapshot)"""
  }

  private def numbers(values: Vector[Long]): Sql = Sql.list(values.map(value => value: SqlPart))
}
