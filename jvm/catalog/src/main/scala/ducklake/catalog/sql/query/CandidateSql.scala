package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that choose files of a table by their statistics in the database. */
final class CandidateSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: id, bytes, partition spec id; for visible files that are in each of the sets. */
  def files(table: TableId, at: SnapshotId, sets: Vector[FileSet], limit: Long): Sql =
    sql"""${files(table, at, FileFilter.All)}${among(table, sets)}
         |LIMIT $limit"""

  /** Columns: id, bytes, partition spec id; for visible files. */
  def files(table: TableId, at: SnapshotId, choice: FileFilter): Sql =
    sql"""SELECT data.data_file_id, data.file_size_bytes, data.partition_id
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}
         |  ${FileFilter.among("data", "data_file_id", choice)}"""

  /** Columns: id; for files of any snapshot without a row of statistics of the column.
    *
    * @param fromId only files with this id or a greater one
    */
  def withoutStatistics(table: TableId, column: ColumnId, fromId: Long, limit: Long): Sql =
    sql"""SELECT data_file_id
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND data_file_id >= $fromId
         |EXCEPT
         |SELECT data_file_id
         |FROM ${dialect.table(version.fileStatisticsTable)}
         |WHERE table_id = $table AND column_id = $column AND data_file_id >= $fromId
         |LIMIT $limit"""

  private def among(table: TableId, sets: Vector[FileSet]): Sql =
    sets.foldLeft(Sql.empty) { (before, set) =>
      sql"""$before
           |  AND data.data_file_id IN (${ids(table, set)})"""
    }

  /** Columns: data_file_id; for the files of a set, some of them several times. */
  private def ids(table: TableId, set: FileSet): Sql = set match {
    case FileSet.Meeting(column, form, condition) =>
      sql"""SELECT bounds.data_file_id
           |FROM (${bounds(table, column, form)}) AS bounds
           |WHERE $condition"""
    case FileSet.Both(left, right) =>
      sql"""SELECT data_file_id FROM (${ids(table, left)}) AS one
           |WHERE data_file_id IN (${ids(table, right)})"""
    case FileSet.Either(left, right) =>
      sql"""SELECT data_file_id FROM (${ids(table, left)}) AS one
           |UNION ALL
           |SELECT data_file_id FROM (${ids(table, right)}) AS other"""
  }

  /** The statistics of a column, with the bounds in a form that can be compared. */
  private def bounds(table: TableId, column: ColumnId, form: BoundForm): Sql =
    sql"""SELECT stats.data_file_id, stats.value_count, stats.null_count,
         |  ${bound(sql"stats.min_value", form)} AS low, ${bound(
        sql"stats.max_value",
        form,
      )} AS high
         |FROM ${dialect.table(version.fileStatisticsTable)} AS stats
         |WHERE stats.table_id = $table AND stats.column_id = $column"""

  private def bound(text: Sql, form: BoundForm): Sql = {
    val texts = dialect.boundTexts
    form match {
      case BoundForm.Whole(greatest) => texts.whole(text, greatest)
      case BoundForm.Date => texts.bytewise(texts.date(text))
      case BoundForm.Timestamp(zone) => texts.bytewise(texts.timestamp(text, zone))
      case BoundForm.Text => texts.bytewise(text)
      case BoundForm.None => sql"NULL"
    }
  }
}
