package ducklake.catalog.sql.query

import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.ChangesMade
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Queries of a commit before it writes. They read the present state, not the state of a snapshot.
  */
final class CommitSql(dialect: Dialect) {

  /** Columns: id, changes; for the snapshots after `base`, ordered by id. NULL for a snapshot whose
    * changes are unknown.
    */
  def changesAfter(base: SnapshotId): Sql =
    sql"""SELECT snapshot.snapshot_id, ${ChangesMade.joined}
         |FROM ${dialect.table(MetadataSchema.Snapshot)} AS snapshot
         |LEFT JOIN ${dialect.table(MetadataSchema.SnapshotChanges)} AS changes
         |  ON changes.snapshot_id = snapshot.snapshot_id
         |WHERE snapshot.snapshot_id > $base
         |ORDER BY snapshot.snapshot_id"""

  /** Columns: snapshot time, changes; for one snapshot. */
  def changesOf(at: SnapshotId): Sql =
    sql"""SELECT snapshot.snapshot_time, changes.changes_made
         |FROM ${dialect.table(MetadataSchema.Snapshot)} AS snapshot
         |LEFT JOIN ${dialect.table(MetadataSchema.SnapshotChanges)} AS changes
         |  ON changes.snapshot_id = snapshot.snapshot_id
         |WHERE snapshot.snapshot_id = $at"""

  /** Columns: id, name, id of the schema around it; for all schemas, dropped schemas included. */
  def schemaNames(version: FormatVersion): Sql =
    sql"""SELECT schema_id, schema_name,
         |  ${if (version.hasNestedSchemas) sql"parent_schema_id" else sql"NULL"}
         |FROM ${dialect.table(MetadataSchema.Schema)}"""

  /** Columns: record count or NULL, next row id, size in bytes. An unknown size is replaced by the
    * size of all live files.
    */
  def tableStatistics(table: TableId): Sql =
    sql"""SELECT record_count, next_row_id, COALESCE(file_size_bytes, (
         |  SELECT SUM(file_size_bytes)
         |  FROM ${dialect.table(MetadataSchema.DataFile)}
         |  WHERE table_id = $table AND end_snapshot IS NULL))
         |FROM ${dialect.table(MetadataSchema.TableStats)}
         |WHERE table_id = $table"""

  /** Columns: column id, contains NULL, contains NaN, min, max, whether min and max are exact. */
  def columnStatistics(table: TableId, version: FormatVersion): Sql =
    sql"""SELECT column_id, contains_null, contains_nan, min_value, max_value,
         |  ${if (version.hasExactBounds) sql"min_is_exact, max_is_exact" else sql"NULL, NULL"}
         |FROM ${dialect.table(MetadataSchema.TableColumnStats)}
         |WHERE table_id = $table"""

  /** Columns: as in `FileSql.mappings`; for all name mappings of a table. */
  def mappingsOf(table: TableId): Sql =
    sql"""SELECT names.mapping_id, names.column_id, names.source_name, names.target_field_id,
         |  names.parent_column, names.is_partition
         |FROM ${dialect.table(MetadataSchema.ColumnMapping)} AS mapping
         |JOIN ${dialect.table(MetadataSchema.NameMapping)} AS names
         |  ON names.mapping_id = mapping.mapping_id
         |WHERE mapping.table_id = $table
         |ORDER BY names.mapping_id, names.column_id"""

  /** Columns: number of data files that a table has or had. */
  def countFiles(table: TableId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table"""

  /** Columns: column id, number of files with statistics, number of these files that may have a
    * value other than NULL.
    */
  def valuesOf(table: TableId): Sql =
    sql"""SELECT column_id, COUNT(*),
         |  SUM(CASE WHEN value_count IS NULL OR value_count > 0 THEN 1 ELSE 0 END)
         |FROM ${dialect.table(MetadataSchema.FileColumnStats)}
         |WHERE table_id = $table
         |GROUP BY column_id"""

  /** Columns: name, schema version; for the inlined tables of a table, oldest first. */
  def inlinedTables(table: TableId): Sql =
    sql"""SELECT table_name, schema_version
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)}
         |WHERE table_id = $table
         |ORDER BY schema_version"""

  /** Columns: the schema version of a table's last change, and the number of rows with the version
    * `inlined`; NULL when there is no row for the table.
    */
  def schemaVersions(table: TableId, inlined: Long): Sql =
    sql"""SELECT MAX(schema_version), SUM(CASE WHEN schema_version = $inlined THEN 1 ELSE 0 END)
         |FROM ${dialect.table(MetadataSchema.SchemaVersions)}
         |WHERE table_id = $table"""

  /** Columns: column id, order; for live columns. */
  def columnOrders(table: TableId): Sql =
    sql"""SELECT column_id, column_order
         |FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE table_id = $table AND end_snapshot IS NULL"""

  /** Columns: number of column rows that began or ended after a snapshot. */
  def countColumnChanges(table: TableId, base: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE table_id = $table AND (begin_snapshot > $base OR end_snapshot > $base)"""

  /** Columns: number of live columns of a table whose type changed after a snapshot. */
  def countTypeChanges(table: TableId, base: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.Column)} AS live
         |JOIN ${dialect.table(MetadataSchema.Column)} AS old
         |  ON old.table_id = live.table_id AND old.column_id = live.column_id
         |WHERE live.table_id = $table AND live.end_snapshot IS NULL
         |  AND old.begin_snapshot <= $base AND old.end_snapshot > $base
         |  AND old.column_type <> live.column_type"""

  /** Columns: number of partition specs that began or ended after a snapshot. */
  def countLayoutChanges(table: TableId, base: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.PartitionInfo)}
         |WHERE table_id = $table AND (begin_snapshot > $base OR end_snapshot > $base)"""

  /** Columns: id; for the live partition spec of a table, if it has keys. */
  def partitionOf(table: TableId): Sql =
    sql"""SELECT info.partition_id
         |FROM ${dialect.table(MetadataSchema.PartitionInfo)} AS info
         |JOIN ${dialect.table(MetadataSchema.PartitionColumn)} AS part
         |  ON part.partition_id = info.partition_id AND part.table_id = info.table_id
         |WHERE info.table_id = $table AND info.end_snapshot IS NULL"""

  /** Columns: number of live data files of a table that may have rows added after a snapshot. A
    * file of a flush or a merge begins at its oldest row.
    */
  def countFilesSince(table: TableId, base: SnapshotId): Sql =
    sql"${countLiveFiles(table)} AND COALESCE(partial_max, begin_snapshot) > $base"

  /** Columns: number of live data files that may have rows added after a snapshot and whose
    * statistics do not rule out NULL in a column.
    */
  def countFilesWithNull(table: TableId, column: ColumnId, base: SnapshotId): Sql =
    sql"""${countFilesSince(table, base)}
         |  AND data_file_id NOT IN (
         |    SELECT data_file_id
         |    FROM ${dialect.table(MetadataSchema.FileColumnStats)}
         |    WHERE table_id = $table AND column_id = $column AND null_count = 0)"""

  /** Columns: as in `FileSql.statistics`; for live data files that may have rows added after a
    * snapshot. A file without statistics of the columns has one row, with NULL for the column.
    */
  def statisticsSince(table: TableId, columns: Iterable[ColumnId], base: SnapshotId): Sql =
    sql"""SELECT data.data_file_id, stats.column_id, stats.min_value, stats.max_value,
         |  stats.value_count, stats.null_count, stats.contains_nan, stats.column_size_bytes
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |LEFT JOIN ${dialect.table(MetadataSchema.FileColumnStats)} AS stats
         |  ON stats.data_file_id = data.data_file_id AND stats.table_id = data.table_id
         |  AND stats.column_id IN (${Sql.list(columns.map(id => id: SqlPart))})
         |WHERE data.table_id = $table AND data.end_snapshot IS NULL
         |  AND COALESCE(data.partial_max, data.begin_snapshot) > $base"""

  /** Columns: number of data files of a table that may have rows added by a snapshot: files of the
    * snapshot itself, and files into which a merge or a flush put rows of several snapshots.
    */
  def countFilesAround(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND begin_snapshot <= $at
         |  AND COALESCE(partial_max, begin_snapshot) >= $at"""

  /** Columns: number of data files of a table that began at a snapshot. */
  private def countFilesOf(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND begin_snapshot = $at"""

  /** Columns: number of data files that began at a snapshot and have a first row id. */
  def countFilesWithRowId(table: TableId, at: SnapshotId): Sql =
    sql"${countFilesOf(table, at)} AND row_id_start IS NOT NULL"

  /** Columns: number of inlined deletes that a snapshot added. */
  def countDeletesOf(deletesTable: String, at: SnapshotId): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(deletesTable)} WHERE begin_snapshot = $at"

  /** Columns: number of inlined deletes that were added after a snapshot. */
  def countDeletesAfter(deletesTable: String, at: SnapshotId): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(deletesTable)} WHERE begin_snapshot > $at"

  /** Columns: number of delete files, and of ended data files; two questions. New delete files are
    * found by their ids, because delete files of DuckDB may begin at an earlier snapshot.
    */
  def countDeletesSince(table: TableId, at: Snapshot): Vector[Sql] = Vector(
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DeleteFile)}
         |WHERE table_id = $table AND delete_file_id >= ${at.nextFileId}""",
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND end_snapshot > ${at.id}""",
  )

  /** Columns: number of live data files of a table. */
  def countLiveFiles(table: TableId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND end_snapshot IS NULL"""

  /** Columns: data file id, id of its live delete file, largest snapshot in that delete file; for
    * live data files. NULL for data files without a delete file.
    */
  def liveDeletes(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT data.data_file_id, gone.delete_file_id,
         |  COALESCE(gone.partial_max, gone.begin_snapshot)
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |LEFT JOIN ${dialect.table(MetadataSchema.DeleteFile)} AS gone
         |  ON gone.data_file_id = data.data_file_id AND gone.end_snapshot IS NULL
         |WHERE data.table_id = $table AND data.end_snapshot IS NULL
         |  AND data.data_file_id IN (${Sql.list(files.map(id => id: SqlPart))})"""

  /** Columns: schema id, name; for a live table. */
  def tableName(table: TableId): Sql =
    sql"""SELECT schema_id, table_name
         |FROM ${dialect.table(MetadataSchema.Table)}
         |WHERE table_id = $table AND end_snapshot IS NULL"""

  /** Columns: name; for a live schema. */
  def schemaName(schema: SchemaId): Sql =
    sql"""SELECT schema_name
         |FROM ${dialect.table(MetadataSchema.Schema)}
         |WHERE schema_id = $schema AND end_snapshot IS NULL"""

  /** Columns: number of tags of an object that began or ended after a snapshot. */
  def countTagChanges(objectId: Long, base: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.Tag)}
         |WHERE object_id = $objectId AND (begin_snapshot > $base OR end_snapshot > $base)"""

  /** Columns: schema id, name; for a live view. */
  def viewName(view: TableId): Sql =
    sql"""SELECT schema_id, view_name
         |FROM ${dialect.table(MetadataSchema.View)}
         |WHERE view_id = $view AND end_snapshot IS NULL"""
}
