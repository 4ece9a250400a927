package ducklake.catalog.sql.query

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator

/** Queries for the paths of the newest files in the catalog, at any snapshot. */
final class StoredPathSql(dialect: Dialect) {

  /** Columns: table id, path, whether it is relative; for data files with this id or a higher one.
    */
  def dataFilesFrom(id: Long): Sql =
    sql"""SELECT table_id, path, path_is_relative
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE data_file_id >= ${Bind.Number(id)}"""

  /** Columns: path, whether it is relative; for files with this id or a higher one that are
    * scheduled for deletion.
    */
  def scheduledFrom(id: Long): Sql =
    sql"""SELECT path, path_is_relative
         |FROM ${dialect.table(MetadataSchema.ScheduledForDeletion)}
         |WHERE data_file_id >= ${Bind.Number(id)}"""
}
