package ducklake.catalog.sql.query

import ducklake.catalog.sql.ChangesMade
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that fill the index of a table's files. They read few columns of many rows. */
final class IndexSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: id, bytes, partition spec id; for visible files.
    *
    * @param fromId only files with this id or a greater one
    */
  def files(table: TableId, at: SnapshotId, fromId: Long): Sql =
    sql"""SELECT data.data_file_id, data.file_size_bytes, data.partition_id
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND data.data_file_id >= $fromId
         |  AND ${Visibility.at(at, "data")}"""

  /** Columns: id; for files that ended after one snapshot, up to another. */
  def ended(table: TableId, after: SnapshotId, upTo: SnapshotId): Sql =
    sql"""SELECT data_file_id
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND end_snapshot > $after AND end_snapshot <= $upTo"""

  /** Columns: file id, column id, min, max, flags, number of NULLs.
    *
    * @param fromId only files with this id or a greater one
    */
  def statistics(
      table: TableId,
      columns: Vector[ColumnId],
      flags: StatisticsFlags,
      fromId: Long,
      choice: FileFilter = FileFilter.All,
  ): Sql = {
    val values = flag("value_count", flags.noValues, flags.someValues)
    val nulls = flag("null_count", flags.noNulls, flags.someNulls)
    val exact =
      if (version.hasExactBounds)
        sql"""CASE WHEN min_is_exact THEN ${flags.minIsValue} ELSE 0 END
             |  + CASE WHEN max_is_exact THEN ${flags.maxIsValue} ELSE 0 END"""
      else sql"0"
    sql"""SELECT data_file_id, column_id, min_value, max_value,
         |  $values + $nulls
         |  + CASE WHEN contains_nan IS NOT NULL AND NOT contains_nan THEN ${flags.noNan} ELSE 0 END
         |  + $exact,
         |  null_count
         |FROM ${dialect.table(version.fileStatisticsTable)} AS stats
         |WHERE table_id = $table AND column_id IN (${Sql.list(columns.map(id => id: SqlPart))})
         |  AND data_file_id >= $fromId ${FileFilter.among("stats", "data_file_id", choice)}"""
  }

  /** Columns: file id, key index, value; of files whose id is `fromId` or greater, ordered by file.
    */
  def partitionValues(table: TableId, fromId: Long): Sql =
    sql"""SELECT data_file_id, partition_key_index, partition_value
         |FROM ${dialect.table(MetadataSchema.FilePartitionValue)}
         |WHERE table_id = $table AND data_file_id >= $fromId
         |ORDER BY data_file_id, partition_key_index"""

  /** Columns: partition spec id, key index, column id, transform, whether files were ever
    * registered; for all partition specs that a table has had.
    */
  def layouts(table: TableId): Sql =
    sql"""SELECT partition_id, partition_key_index, column_id, transform,
         |  CASE WHEN EXISTS (${registered(table)}) THEN 1 ELSE 0 END
         |FROM ${dialect.table(MetadataSchema.PartitionColumn)}
         |WHERE table_id = $table
         |ORDER BY partition_id, partition_key_index"""

  /** Columns: mapping id; a row for each name mapping that a table has had. Mappings stay when the
    * registered files are gone.
    */
  def registered(table: TableId): Sql =
    sql"""SELECT mapping.mapping_id
         |FROM ${dialect.table(MetadataSchema.ColumnMapping)} AS mapping
         |WHERE mapping.table_id = $table"""

  /** Columns: the time of a snapshot. */
  def time(snapshot: SnapshotId): Sql =
    sql"""SELECT snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id = $snapshot"""

  /** Columns: snapshot id, changes; for the snapshots after a snapshot. */
  def changesAfter(snapshot: SnapshotId): Sql =
    sql"""SELECT snapshot_id, ${ChangesMade.text}
         |FROM ${dialect.table(MetadataSchema.SnapshotChanges)}
         |WHERE snapshot_id > $snapshot"""

  private def flag(column: String, none: Long, some: Long): Sql = {
    val name = Sql.identifier(column)
    sql"CASE WHEN $name > 0 THEN $some WHEN $name = 0 THEN $none ELSE 0 END"
  }
}

/** Flags for the statistics of a column in a file: whether each count is zero, greater, or unknown,
  * and whether the catalog says that a bound is a value of the file.
  */
final case class StatisticsFlags(
    noValues: Long,
    someValues: Long,
    noNulls: Long,
    someNulls: Long,
    noNan: Long,
    minIsValue: Long,
    maxIsValue: Long,
)
