package ducklake.catalog.sql

import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator

/** Statements on the files that a merge replaces. */
final class MergeSql(dialect: Dialect) {
  private val expiry = new ExpirySql(dialect)

  /** Columns: how many of the files are live and never had a delete file. */
  def countWhole(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table("ducklake_data_file")} AS data
         |WHERE data.table_id = $table AND data.end_snapshot IS NULL
         |  AND data.data_file_id IN (${among(files)})
         |  AND NOT EXISTS (
         |    SELECT 1
         |    FROM ${dialect.table("ducklake_delete_file")} AS deletes
         |    WHERE deletes.data_file_id = data.data_file_id)"""

  /** Columns: number of inlined deletes of the files. */
  def countDeletes(deletesTable: String, files: Vector[DataFileId]): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(deletesTable)} WHERE file_id IN (${among(files)})"

  /** Removes the files with all that the catalog says of them. */
  def remove(files: Vector[DataFileId]): Vector[Sql] =
    files.map(_.value).grouped(WriteSql.MostRows).toVector.flatMap(expiry.removeDataFiles)

  private def among(files: Vector[DataFileId]): Sql = Sql.list(files.map(id => id: SqlPart))
}
