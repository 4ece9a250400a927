package ducklake.catalog.sql.query

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

/** Which files a statement selects. */
sealed trait FileFilter {

  /** Whether a file that the statement selects is wanted. */
  def has(id: Long): Boolean
}

object FileFilter {
  case object All extends FileFilter {
    def has(id: Long): Boolean = true
  }

  /** Files by id; at most as many as the number of values that a statement may have. */
  final case class Ids(ids: Vector[Long]) extends FileFilter {
    def has(id: Long): Boolean = true
  }

  /** So many files that the statement selects all, and others are left out while rows are read.
    *
    * @param ids increasing
    */
  final case class Chosen(ids: Array[Long]) extends FileFilter {
    def has(id: Long): Boolean = java.util.Arrays.binarySearch(ids, id) >= 0
  }

  /** A condition to add to others: the column of the aliased table is the id of a selected file. */
  private[query] def among(alias: String, column: String, choice: FileFilter): Sql = choice match {
    case All | Chosen(_) => Sql.empty
    case Ids(ids) =>
      val file = sql"${Sql.identifier(alias)}.${Sql.identifier(column)}"
      sql"AND $file IN (${Sql.list(ids.map(id => id: SqlPart))})"
  }
}

/** Statements about data files and delete files. */
final class FileSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: id, begin, path, whether it is relative, rows, bytes, footer bytes, first row id,
    * partition spec id, encryption key, mapping, largest snapshot inside (a number or, up to 0.3, a
    * text), format.
    */
  def dataFiles(table: TableId, at: SnapshotId, choice: FileFilter): Sql =
    sql"""SELECT $dataFileColumns
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")} ${among("data", choice)}"""

  /** The columns of [[dataFiles]]; of the first files with greater ids, ordered by id. */
  def nextDataFiles(table: TableId, at: SnapshotId, after: Long, limit: Int): Sql =
    sql"""${dataFiles(table, at, FileFilter.All)} AND data.data_file_id > $after
         |ORDER BY data.data_file_id
         |LIMIT ${limit.toLong}"""

  /** Columns: number of the data files, and their bytes. */
  def count(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT COUNT(*), SUM(data.file_size_bytes)
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}"""

  /** Columns: data file id, id, path, whether it is relative, format, deletes, bytes, footer bytes,
    * begin, encryption key, largest snapshot inside.
    */
  def deleteFiles(table: TableId, at: SnapshotId, choice: FileFilter): Sql =
    sql"""SELECT $deleteFileColumns
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |WHERE deletes.table_id = $table AND ${Visibility.at(at, "deletes")}
         |  ${among("deletes", choice)}"""

  /** Columns: data file id, number of delete files of the data file, ended delete files included.
    */
  def countDeleteFiles(table: TableId, choice: FileFilter): Sql =
    sql"""SELECT deletes.data_file_id, COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |WHERE deletes.table_id = $table ${among("deletes", choice)}
         |GROUP BY deletes.data_file_id"""

  /** Columns: data file id; for files with rows of several snapshots, in catalogs since 0.4. */
  def filesOfSeveralSnapshots(table: TableId, choice: FileFilter): Sql =
    sql"""SELECT data.data_file_id
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND data.partial_max IS NOT NULL ${among("data", choice)}"""

  /** Columns: data file id, key index, value. */
  def partitionValues(table: TableId, choice: FileFilter): Sql =
    sql"""SELECT part.data_file_id, part.partition_key_index, part.partition_value
         |FROM ${dialect.table(MetadataSchema.FilePartitionValue)} AS part
         |WHERE part.table_id = $table ${among("part", choice)}"""

  /** Columns: data file id, column id, min, max, values, NULLs, whether NaN, bytes. */
  def statistics(table: TableId, columns: Iterable[ColumnId], choice: FileFilter): Sql =
    sql"""SELECT stats.data_file_id, stats.column_id, stats.min_value, stats.max_value,
         |  stats.value_count, stats.null_count, stats.contains_nan, stats.column_size_bytes
         |FROM ${dialect.table(version.fileStatisticsTable)} AS stats
         |WHERE stats.table_id = $table
         |  AND stats.column_id IN (${Sql.list(columns.map(id => id: SqlPart))})
         |  ${among("stats", choice)}"""

  /** Columns: mapping id, number in the mapping, name in the file, column id, parent's number,
    * whether the value comes from the path.
    */
  def mappings(ids: Iterable[Long]): Sql = {
    val isPartition = if (version.hasMappedPartitions) sql"is_partition" else sql"NULL"
    sql"""SELECT mapping_id, column_id, source_name, target_field_id, parent_column, $isPartition
         |FROM ${dialect.table(MetadataSchema.NameMapping)}
         |WHERE mapping_id IN (${Sql.list(ids.map(id => id: SqlPart))})
         |ORDER BY mapping_id, column_id"""
  }

  /** The columns of [[dataFiles]], from a table with the alias `data`. */
  private[query] def dataFileColumns: Sql = {
    val mapping = if (version.hasMappings) sql"data.mapping_id" else sql"NULL"
    sql"""data.data_file_id, data.begin_snapshot, data.path, data.path_is_relative,
         |  data.record_count, data.file_size_bytes, data.footer_size, data.row_id_start,
         |  data.partition_id, data.encryption_key, $mapping, $largestSnapshot, data.file_format"""
  }

  /** The largest snapshot inside, from a table with the alias `data`. */
  private[query] def largestSnapshot: Sql =
    if (version.hasPartialMax) sql"data.partial_max" else sql"data.partial_file_info"

  /** The columns of [[deleteFiles]], from a table with the alias `deletes`. */
  private[query] def deleteFileColumns: Sql = {
    val partial = if (version.hasPartialMax) sql"deletes.partial_max" else sql"NULL"
    sql"""deletes.data_file_id, deletes.delete_file_id, deletes.path,
         |  deletes.path_is_relative, deletes.format, deletes.delete_count,
         |  deletes.file_size_bytes, deletes.footer_size, deletes.begin_snapshot,
         |  deletes.encryption_key, $partial"""
  }

  private def among(alias: String, choice: FileFilter): Sql =
    FileFilter.among(alias, "data_file_id", choice)
}
