package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that count the rows and files of a table at a snapshot. */
final class CountSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: rows, bytes, and number of the data files of which not all rows are visible; over the
    * data files of a table.
    */
  def dataFiles(table: TableId, at: SnapshotId): Sql = {
    val partial =
      if (version.hasPartialMax) sql"data.partial_max > $at"
      else sql"data.partial_file_info IS NOT NULL"
    sql"""SELECT SUM(data.record_count), SUM(data.file_size_bytes),
         |  SUM(CASE WHEN $partial THEN 1 ELSE 0 END)
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: number of deletes in the delete files, number of delete files, number of their data
    * files, and number of delete files that may have deletes later than the snapshot.
    */
  def deleteFiles(table: TableId, at: SnapshotId): Sql = {
    val unsure =
      if (version.hasPartialMax) sql"deletes.partial_max IS NULL OR deletes.partial_max > $at"
      else sql"1 = 1"
    sql"""SELECT SUM(deletes.delete_count), COUNT(*), COUNT(DISTINCT deletes.data_file_id),
         |  SUM(CASE WHEN $unsure THEN 1 ELSE 0 END)
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |JOIN ${dialect.table(MetadataSchema.DataFile)} AS data
         |  ON data.data_file_id = deletes.data_file_id
         |WHERE deletes.table_id = $table AND ${Visibility.at(at, "deletes")}
         |  AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: number of inlined deletes in live data files, and number of these whose data file
    * also has a delete file. The latter rows may be deleted in both places: a flush of DuckDB that
    * commits at its second attempt does not remove the inlined deletes that it has flushed, and of
    * two DuckDBs that delete a row at the same time each may keep it in another place (format 4.6).
    */
  def inlinedDeletes(table: TableId, at: SnapshotId): Sql = {
    val name = InlinedSql.deletesTable(table)
    sql"""SELECT COUNT(*), COUNT(files.delete_file_id)
         |FROM ${dialect.table(name)} AS deletes
         |JOIN ${dialect.table(MetadataSchema.DataFile)} AS data
         |  ON data.data_file_id = deletes.file_id
         |LEFT JOIN ${dialect.table(MetadataSchema.DeleteFile)} AS files
         |  ON files.data_file_id = deletes.file_id AND ${Visibility.at(at, "files")}
         |WHERE deletes.begin_snapshot <= $at AND ${Visibility.at(at, "data")}"""
  }

  /** Columns: id, name, schema id, uuid; for each table, ordered by schema and id. */
  def tables(at: SnapshotId): Sql =
    sql"""SELECT entry.table_id, entry.table_name, entry.schema_id, entry.table_uuid
         |FROM ${dialect.table(MetadataSchema.Table)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |ORDER BY entry.schema_id, entry.table_id"""

  /** Columns: table id, number of files, bytes. `files` is the name of the metadata table of data
    * files or of delete files.
    */
  def filesByTable(files: String, at: SnapshotId): Sql =
    sql"""SELECT entry.table_id, COUNT(*), SUM(entry.file_size_bytes)
         |FROM ${dialect.table(files)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |GROUP BY entry.table_id"""
}
