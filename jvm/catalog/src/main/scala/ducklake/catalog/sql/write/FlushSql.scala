package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on all inlined rows and inlined deletes of a table, including rows that were deleted
  * later.
  */
final class FlushSql(dialect: Dialect, version: FormatVersion) {
  private val own = version.inlinedColumns

  /** Column: number of row versions. */
  def countVersions(inlinedTable: String, upTo: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(inlinedTable)}
         |WHERE ${own.begin} <= $upTo"""

  /** Columns: row id, begin, end; of versions of the snapshot that ended after it. */
  def endedSince(inlinedTable: String, upTo: SnapshotId, most: Int): Sql =
    sql"""SELECT ${Sql.list(own.all)}
         |FROM ${dialect.table(inlinedTable)}
         |WHERE ${own.begin} <= $upTo
         |  AND ${own.end} > $upTo
         |ORDER BY ${own.rowId}, ${own.begin}
         |LIMIT ${most.toLong}"""

  /** Columns: row id, begin, end, then the selected columns; ordered by row id and begin. */
  def versions(
      inlinedTable: String,
      upTo: SnapshotId,
      selected: Vector[InlinedSelection],
  ): Sql =
    sql"""SELECT ${Sql.list(own.all ++ selected.map(_.sql))}
         |FROM ${dialect.table(inlinedTable)}
         |WHERE ${own.begin} <= $upTo
         |ORDER BY ${own.rowId}, ${own.begin}"""

  /** Columns: data file id, position, the snapshot that deleted it; ordered by these columns. */
  def deletes(deletesTable: String, upTo: SnapshotId): Sql =
    sql"""SELECT file_id, row_id, begin_snapshot
         |FROM ${dialect.table(deletesTable)}
         |WHERE begin_snapshot <= $upTo
         |ORDER BY file_id, row_id, begin_snapshot"""

  /** Columns: id, path, whether it is relative, end, rows; for data files, ended files included. */
  def dataFiles(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT data_file_id, path, path_is_relative, end_snapshot, record_count
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table
         |  AND data_file_id IN (${Sql.list(files.map(id => id: SqlPart))})
         |ORDER BY data_file_id"""

  /** Columns: data file id, id, path, whether it is relative, format, deletes, bytes, footer bytes,
    * begin, encryption key, largest snapshot inside; for all delete files of the data files, ended
    * ones included.
    */
  def deleteFiles(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT data_file_id, delete_file_id, path, path_is_relative, format, delete_count,
         |  file_size_bytes, footer_size, begin_snapshot, encryption_key, partial_max
         |FROM ${dialect.table(MetadataSchema.DeleteFile)}
         |WHERE table_id = $table
         |  AND data_file_id IN (${Sql.list(files.map(id => id: SqlPart))})
         |ORDER BY delete_file_id"""

  def removeVersions(inlinedTable: String, upTo: SnapshotId): Sql =
    sql"""DELETE FROM ${dialect.table(inlinedTable)}
         |WHERE ${own.begin} <= $upTo"""

  def removeDeletes(deletesTable: String, upTo: SnapshotId): Sql =
    sql"""DELETE FROM ${dialect.table(deletesTable)}
         |WHERE begin_snapshot <= $upTo"""

  def removeDeleteFiles(files: Vector[DeleteFileId]): Vector[Sql] =
    files.grouped(WriteSql.MostRows).toVector.map { some =>
      sql"""DELETE FROM ${dialect.table(MetadataSchema.DeleteFile)}
           |WHERE delete_file_id IN (${Sql.list(some.map(id => id.value: SqlPart))})"""
    }
}
