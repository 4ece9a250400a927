package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

/** Statements on the files that a rewrite replaces. */
final class RewriteSql(dialect: Dialect) {

  /** Columns: id, id of a live delete file or NULL; a row for each delete file of each live file.
    */
  def liveFiles(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT data.data_file_id, deletes.delete_file_id
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |LEFT JOIN ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |  ON deletes.data_file_id = data.data_file_id AND deletes.end_snapshot IS NULL
         |WHERE data.table_id = $table AND data.end_snapshot IS NULL
         |  AND data.data_file_id IN (${among(files)})
         |ORDER BY data.data_file_id, deletes.delete_file_id"""

  /** Columns: data file id, number of the rows that its inlined deletes name, each counted once as
    * readers do; for files with inlined deletes.
    */
  def countDeletes(deletesTable: String, files: Vector[DataFileId]): Sql =
    sql"""SELECT file_id, COUNT(DISTINCT row_id)
         |FROM ${dialect.table(deletesTable)}
         |WHERE file_id IN (${among(files)})
         |GROUP BY file_id"""

  private def among(files: Vector[DataFileId]): Sql = Sql.list(files.map(id => id: SqlPart))
}
