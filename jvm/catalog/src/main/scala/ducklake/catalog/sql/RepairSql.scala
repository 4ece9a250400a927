package ducklake.catalog.sql

import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator

/** Statements of the repairs that belong to a migration to 1.1. Commits repair schema versions, too.
  */
final class RepairSql(dialect: Dialect) {
  private val tableStats = dialect.table(MetadataSchema.TableColumnStats.name)
  private val fileStats = dialect.table(MetadataSchema.FileColumnStats.name)

  /** Columns: table id, column id, type; for all rows of columns, oldest first. */
  def columnTypes: Sql =
    sql"""SELECT table_id, column_id, column_type
         |FROM ${dialect.table(MetadataSchema.Column.name)}
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

  /** Inserts the schema versions of inlined tables that have none. Such a version begins with the
    * first snapshot that has it and sees the table.
    *
    * @param of the table; None: all tables
    */
  def missingSchemaVersions(of: Option[TableId]): Sql = {
    val chosen = of.fold(Sql.empty)(id => sql"AND inlined.table_id = $id")
    val versions = dialect.table(MetadataSchema.SchemaVersions.name)
    sql"""INSERT INTO $versions (begin_snapshot, schema_version, table_id)
         |SELECT MIN(snapshot.snapshot_id), inlined.schema_version, inlined.table_id
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables.name)} AS inlined
         |JOIN ${dialect.table(MetadataSchema.Snapshot.name)} AS snapshot
         |  ON snapshot.schema_version = inlined.schema_version
         |JOIN ${dialect.table(MetadataSchema.Table.name)} AS entry
         |  ON entry.table_id = inlined.table_id
         |  AND entry.begin_snapshot <= snapshot.snapshot_id
         |  AND (entry.end_snapshot IS NULL OR entry.end_snapshot > snapshot.snapshot_id)
         |WHERE NOT EXISTS (
         |  SELECT 1
         |  FROM $versions AS known
         |  WHERE known.table_id = inlined.table_id
         |    AND known.schema_version = inlined.schema_version)
         |$chosen
         |GROUP BY inlined.table_id, inlined.schema_version"""
  }

  private def numbers(values: Vector[Long]): Sql = Sql.list(values.map(value => value: SqlPart))
}
