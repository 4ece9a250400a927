package ducklake.catalog.sql

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator

/** Statements that count what a table has at a snapshot. */
final class CountSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: rows and bytes of the data files, and how many are not seen as a whole. */
  def dataFiles(table: TableId, at: SnapshotId): Sql = {
    val partial =
      if (version.hasPartialMax) sql"data.partial_max > $at"
      else sql"data.partial_file_info IS NOT NULL"
    sql"""SELECT SUM(data.record_count), SUM(data.file_size_bytes),
         |  SUM(CASE WHEN $partial THEN 1 ELSE 0 END)
         |FROM ${dialect.table("ducklake_data_file")} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: deletes in the delete files, files, data files they belong to, and how many may hold
    * deletes that came after the snapshot.
    */
  def deleteFiles(table: TableId, at: SnapshotId): Sql = {
    val unsure =
      if (version.hasPartialMax) sql"deletes.partial_max IS NULL OR deletes.partial_max > $at"
      else sql"1 = 1"
    sql"""SELECT SUM(deletes.delete_count), COUNT(*), COUNT(DISTINCT deletes.data_file_id),
         |  SUM(CASE WHEN $unsure THEN 1 ELSE 0 END)
         |FROM ${dialect.table("ducklake_delete_file")} AS deletes
         |JOIN ${dialect.table("ducklake_data_file")} AS data
         |  ON data.data_file_id = deletes.data_file_id
         |WHERE deletes.table_id = $table AND ${Visibility.at(at, "deletes")}
         |  AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: positions that are deleted in the catalog in files that live, and how many of them are no
    * younger than the file's delete file: a flush of DuckDB that committed at its second try leaves in
    * the catalog what it has moved there.
    */
  def inlinedDeletes(table: TableId, at: SnapshotId): Sql = {
    val name = InlinedSql.deletesTable(table)
    val newest =
      if (version.hasPartialMax) sql"COALESCE(files.partial_max, files.begin_snapshot)"
      else sql"files.begin_snapshot"
    sql"""SELECT COUNT(*), COUNT(files.delete_file_id)
         |FROM ${dialect.table(name)} AS deletes
         |JOIN ${dialect.table("ducklake_data_file")} AS data ON data.data_file_id = deletes.file_id
         |LEFT JOIN ${dialect.table("ducklake_delete_file")} AS files
         |  ON files.data_file_id = deletes.file_id AND ${Visibility.at(at, "files")}
         |  AND deletes.begin_snapshot <= $newest
         |WHERE deletes.begin_snapshot <= $at AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: id, name, schema id, uuid of each table; by schema and id. */
  def tables(at: SnapshotId): Sql =
    sql"""SELECT entry.table_id, entry.table_name, entry.schema_id, entry.table_uuid
         |FROM ${dialect.table("ducklake_table")} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |ORDER BY entry.schema_id, entry.table_id"""

  /** Columns: table id, files, bytes; `files` is the table of data files or of delete files. */
  def filesByTable(files: String, at: SnapshotId): Sql =
    sql"""SELECT entry.table_id, COUNT(*), SUM(entry.file_size_bytes)
         |FROM ${dialect.table(files)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |GROUP BY entry.table_id"""
}
