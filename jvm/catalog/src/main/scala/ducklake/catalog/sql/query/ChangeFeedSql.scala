package ducklake.catalog.sql.query

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.ChangesMade
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that find what a range of snapshots did to a table.
  *
  * File ids grow from commit to commit. A delete file whose id is smaller than the next file id of
  * the snapshot before the range was written before the range, so it holds no delete of the range.
  *
  * Source: format 10; decision 10.
  */
final class ChangeFeedSql(dialect: Dialect, version: FormatVersion) {
  private val files = new FileSql(dialect, version)

  /** Columns: id, time, next file id; the snapshots of the range, ordered by id. */
  def snapshots(range: SnapshotRange): Sql =
    sql"""SELECT snapshot_id, snapshot_time, next_file_id
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id BETWEEN ${range.first} AND ${range.last}
         |ORDER BY snapshot_id"""

  /** Columns: id, next file id; the last snapshot before this id. */
  def lastBefore(id: SnapshotId): Sql =
    sql"""SELECT snapshot_id, next_file_id
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id < $id
         |ORDER BY snapshot_id DESC
         |LIMIT 1"""

  /** Columns: the changes of a snapshot. */
  def changesMade(id: SnapshotId): Sql =
    sql"""SELECT ${ChangesMade.text}
         |FROM ${dialect.table(MetadataSchema.SnapshotChanges)}
         |WHERE snapshot_id = $id"""

  /** Columns: id, changes; the snapshots of the range that rewrote files of any table. */
  def rewrites(range: SnapshotRange): Sql =
    sql"""SELECT snapshot_id, changes_made
         |FROM ${dialect.table(MetadataSchema.SnapshotChanges)}
         |WHERE snapshot_id BETWEEN ${range.first} AND ${range.last}
         |  AND changes_made LIKE '%rewrite_delete:%'"""

  /** Columns: id, changes; the snapshots of the range that may name the table by its number,
    * ordered by id. Snapshots that name a longer number with the same first digits are also
    * returned.
    */
  def entries(table: TableId, range: SnapshotRange, limit: Int): Sql =
    sql"""SELECT snapshot_id, changes_made
         |FROM ${dialect.table(MetadataSchema.SnapshotChanges)}
         |WHERE snapshot_id BETWEEN ${range.first} AND ${range.last}
         |  AND changes_made LIKE ${s"%:${table.value}%"}
         |ORDER BY snapshot_id
         |LIMIT ${limit.toLong}"""

  /** Columns: number of the snapshots after the first one, up to the last one, that do not name the
    * table by its number; the times of the first and the last snapshot, NULL for a missing
    * snapshot.
    */
  def without(table: TableId, first: SnapshotId, last: SnapshotId): Sql =
    sql"""SELECT COUNT(*), ${time(first)}, ${time(last)}
         |FROM ${dialect.table(MetadataSchema.SnapshotChanges)}
         |WHERE snapshot_id > $first AND snapshot_id <= $last
         |  AND COALESCE(changes_made, '') NOT LIKE ${s"%:${table.value}"}
         |  AND COALESCE(changes_made, '') NOT LIKE ${s"%:${table.value},%"}"""

  private def time(id: SnapshotId): Sql = {
    val snapshots = dialect.table(MetadataSchema.Snapshot)
    sql"(SELECT snapshot_time FROM $snapshots WHERE snapshot_id = $id)"
  }

  /** The data files that were begun or ended in the range, that hold rows of the range, or whose
    * rows may have been deleted in the range. Columns: the columns of [[FileSql.dataFiles]], then
    * end.
    *
    * @param nextFileId the next file id of the snapshot before the range
    * @param deletesTable the table with inlined deletes, when it exists
    */
  def dataFiles(
      table: TableId,
      range: SnapshotRange,
      nextFileId: Long,
      deletesTable: Option[String],
  ): Sql = {
    val inlined = deletesTable.fold(Sql.empty) { name =>
      sql"OR data.data_file_id IN (${filesWithInlinedDeletes(name, range)})"
    }
    sql"""SELECT ${files.dataFileColumns}, data.end_snapshot
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND data.begin_snapshot <= ${range.last}
         |  AND (data.end_snapshot IS NULL
         |    OR (data.end_snapshot >= ${range.first} AND data.end_snapshot > data.begin_snapshot))
         |  AND (data.begin_snapshot >= ${range.first}
         |    OR data.end_snapshot <= ${range.last}
         |    OR ${holdsRowsSince(range.first)}
         |    OR data.data_file_id IN (${filesWithDeletes(table, range, nextFileId)})
         |    $inlined)"""
  }

  /** The delete files that hold deletes of the range, and delete files that were live at its begin.
    * Columns: the columns of [[FileSql.deleteFiles]].
    */
  def deleteFiles(table: TableId, range: SnapshotRange, choice: FileFilter): Sql =
    sql"""SELECT ${files.deleteFileColumns}
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |WHERE deletes.table_id = $table AND ${wereLive("deletes", range)}
         |  ${FileFilter.among("deletes", "data_file_id", choice)}"""

  /** Columns: data file id, position, the snapshot that deleted it; ordered by these columns. */
  def inlinedDeletes(deletesTable: String, to: SnapshotId, choice: FileFilter): Sql =
    sql"""SELECT deletes.file_id, deletes.row_id, deletes.begin_snapshot
         |FROM ${dialect.table(deletesTable)} AS deletes
         |WHERE deletes.begin_snapshot <= $to
         |  ${FileFilter.among("deletes", "file_id", choice)}
         |ORDER BY deletes.file_id, deletes.row_id, deletes.begin_snapshot"""

  /** The inlined rows that were inserted or deleted in the range. Columns: row id, begin, end, then
    * the selected columns; ordered by row id and begin.
    */
  def rows(inlinedTable: String, range: SnapshotRange, selected: Vector[InlinedSelection]): Sql = {
    val own = version.inlinedColumns
    sql"""SELECT ${Sql.list(own.all ++ selected.map(_.sql))}
         |FROM ${dialect.table(inlinedTable)}
         |WHERE (${own.end} IS NULL OR ${own.end} > ${own.begin})
         |  AND (${own.begin} BETWEEN ${range.first} AND ${range.last}
         |    OR ${own.end} BETWEEN ${range.first} AND ${range.last})
         |ORDER BY ${own.rowId}, ${own.begin}"""
  }

  /** Whether a data file may hold rows of the range although it began earlier. */
  private def holdsRowsSince(from: SnapshotId): Sql =
    if (version.hasPartialMax) sql"data.partial_max >= $from"
    else sql"data.partial_file_info IS NOT NULL"

  private def filesWithDeletes(table: TableId, range: SnapshotRange, nextFileId: Long): Sql =
    sql"""SELECT deletes.data_file_id
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |WHERE deletes.table_id = $table AND ${wereLive("deletes", range)}
         |  AND (deletes.begin_snapshot >= ${range.first} OR deletes.delete_file_id >= $nextFileId)"""

  private def filesWithInlinedDeletes(deletesTable: String, range: SnapshotRange): Sql =
    sql"""SELECT inlined.file_id
         |FROM ${dialect.table(deletesTable)} AS inlined
         |WHERE inlined.begin_snapshot BETWEEN ${range.first} AND ${range.last}"""

  /** Whether a row was live at a snapshot of the range, or at the snapshot before the range. */
  private def wereLive(alias: String, range: SnapshotRange): Sql = {
    val row = Sql.identifier(alias)
    sql"""$row.begin_snapshot <= ${range.last}
         |  AND ($row.end_snapshot IS NULL OR $row.end_snapshot >= ${range.first})"""
  }
}
