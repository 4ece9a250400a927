package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** Statements of the repairs that belong to a migration to 1.1. */
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

  private def numbers(values: Vector[Long]): Sql = Sql.list(values.map(value => value: SqlPart))
}
