package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

/** Statements on the files that a merge replaces. */
final class FileMergeSql(dialect: Dialect) {
  private val expiry = new ExpirySql(dialect)

  /** Columns: how many of the files are live. */
  def countLive(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND end_snapshot IS NULL AND data_file_id IN (${among(files)})"""

  /** Columns: how many delete files the files have and had. */
  def countDeleteFiles(files: Vector[DataFileId]): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DeleteFile)}
         |WHERE data_file_id IN (${among(files)})"""

  /** Columns: number of inlined deletes of the files. */
  def countDeletes(deletesTable: String, files: Vector[DataFileId]): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(deletesTable)} WHERE file_id IN (${among(files)})"

  /** Removes the files with all their metadata. */
  def remove(files: Vector[DataFileId]): Vector[Sql] =
    files.map(_.value).grouped(WriteSql.MostIds).toVector.flatMap(expiry.removeDataFiles)

  private def among(files: Vector[DataFileId]): Sql = Sql.list(files.map(id => id: SqlPart))
}
