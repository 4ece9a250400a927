package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on all rows of a table in the catalog, rows kept only for past snapshots included. */
final class KeptSql(dialect: Dialect, version: FormatVersion) {
  private val own = version.inlinedColumns
  private val dataFile = dialect.table(MetadataSchema.DataFile)

  /** Columns: number of files, of these the number that have ended, rows and bytes of the others.
    */
  def files(table: TableId): Sql =
    sql"""SELECT COUNT(*),
         |  SUM(CASE WHEN end_snapshot IS NULL THEN 0 ELSE 1 END),
         |  SUM(CASE WHEN end_snapshot IS NULL THEN record_count ELSE 0 END),
         |  SUM(CASE WHEN end_snapshot IS NULL THEN file_size_bytes ELSE 0 END)
         |FROM $dataFile
         |WHERE table_id = $table"""

  /** Columns: number of files.
    *
    * @param fromId only files with this id or a greater one
    */
  def countFiles(table: TableId, fromId: Long): Sql =
    sql"""SELECT COUNT(*)
         |FROM $dataFile
         |WHERE table_id = $table AND data_file_id >= $fromId"""

  /** Columns: number of delete files. */
  def countDeleteFiles(table: TableId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DeleteFile)}
         |WHERE table_id = $table"""

  /** Columns: number of inlined deletes. */
  def countInlinedDeletes(table: TableId): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(InlinedSql.deletesTable(table))}"

  /** Columns: number of rows, of these the number that have ended. */
  def inlinedRows(inlinedTable: String): Sql =
    sql"""SELECT COUNT(*), SUM(CASE WHEN ${own.end} IS NULL THEN 0 ELSE 1 END)
         |FROM ${dialect.table(inlinedTable)}"""

  /** Columns: column id, number of values, number of NULLs, contains NaN, min, max, whether min and
    * max are exact; a row for each file that has statistics of the column.
    *
    * @param fromId only files with this id or a greater one
    */
  def fileBounds(table: TableId, fromId: Long): Sql =
    sql"""SELECT bounds.column_id, bounds.value_count, bounds.null_count, bounds.contains_nan,
         |  bounds.min_value, bounds.max_value,
         |  ${if (version.hasExactBounds) sql"bounds.min_is_exact, bounds.max_is_exact"
      else sql"NULL, NULL"}
         |FROM ${dialect.table(MetadataSchema.FileColumnStats)} AS bounds
         |JOIN $dataFile AS data ON data.data_file_id = bounds.data_file_id
         |WHERE bounds.table_id = $table AND data.table_id = $table
         |  AND bounds.data_file_id >= $fromId"""

  /** Columns: the selected columns; of rows that began after a snapshot, ended rows included. They
    * have no order.
    */
  def inlinedValues(
      inlinedTable: String,
      after: SnapshotId,
      selected: Vector[InlinedSelection],
  ): Sql =
    sql"""SELECT ${Sql.list(own.begin +: selected.map(_.sql))}
         |FROM ${dialect.table(inlinedTable)}
         |WHERE ${own.begin} > $after"""

  /** Columns: column id; of columns that have had one type only. */
  def columnsOfOneType(table: TableId): Sql =
    sql"""SELECT column_id
         |FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE table_id = $table
         |GROUP BY column_id
         |HAVING COUNT(DISTINCT column_type) = 1"""

  /** Columns: table id, number of rows by its statistics, rows of live files, number of files; for
    * all tables that ever had rows.
    */
  def recorded: Sql =
    sql"""SELECT stats.table_id, stats.record_count, COALESCE(data.live, 0), COALESCE(data.files, 0)
         |FROM ${dialect.table(MetadataSchema.TableStats)} AS stats
         |LEFT JOIN (
         |  SELECT table_id, COUNT(*) AS files,
         |    SUM(CASE WHEN end_snapshot IS NULL THEN record_count ELSE 0 END) AS live
         |  FROM $dataFile
         |  GROUP BY table_id) AS data
         |  ON data.table_id = stats.table_id"""
}
