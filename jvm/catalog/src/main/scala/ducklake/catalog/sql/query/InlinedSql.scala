package ducklake.catalog.sql.query

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.RowIdTest
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on inlined rows and inlined deletes. */
final class InlinedSql(dialect: Dialect, version: FormatVersion) {
  private val own = version.inlinedColumns

  /** Columns: name, schema version; oldest first. */
  def tables(table: TableId): Sql = Dialect.registered(dialect, table)

  /** Columns: schema version, its first snapshot. */
  def schemaVersions(table: TableId): Sql =
    if (version.hasTableSchemaVersions)
      sql"""SELECT schema_version, begin_snapshot
           |FROM ${dialect.table(MetadataSchema.SchemaVersions)}
           |WHERE table_id = $table"""
    else if (version.hasSchemaVersions)
      sql"""SELECT schema_version, begin_snapshot
           |FROM ${dialect.table(MetadataSchema.SchemaVersions)}"""
    else
      sql"""SELECT schema_version, MIN(snapshot_id)
           |FROM ${dialect.table(MetadataSchema.Snapshot)}
           |GROUP BY schema_version"""

  /** Columns: row id, begin, then the selected columns. The rows have no order: inlined tables have
    * no index, and a sort would read all rows before the first one comes.
    *
    * @param condition a condition that each row must meet
    * @param added the snapshots that added the rows; None: all snapshots
    */
  def rows(
      inlinedTable: String,
      at: SnapshotId,
      selected: Vector[InlinedSelection],
      condition: Option[Sql],
      added: Option[SnapshotRange],
      limit: Option[Long],
  ): Sql = {
    val matching = condition.fold(Sql.empty)(test => sql" AND $test")
    val since = added.fold(Sql.empty) { range =>
      sql" AND ${own.begin} >= ${range.first} AND ${own.begin} <= ${range.last}"
    }
    val first = limit.fold(Sql.empty)(rows => sql" LIMIT $rows")
    sql"""SELECT ${Sql.list(Vector(own.rowId, own.begin) ++ selected.map(_.sql))}
         |FROM ${dialect.table(inlinedTable)} AS inlined
         |WHERE ${own.visibleAt(at)}$matching$since$first"""
  }

  /** Columns: the snapshot in which the first rows began; NULL without rows. */
  def firstBegin(inlinedTable: String): Sql =
    sql"SELECT MIN(${own.begin}) FROM ${dialect.table(inlinedTable)}"

  /** Columns: number of visible rows. */
  def countRows(inlinedTable: String, at: SnapshotId): Sql =
    sql"${countAll(inlinedTable)} WHERE ${own.visibleAt(at)}"

  /** Columns: number of rows, ended rows included. */
  def countAll(inlinedTable: String): Sql = sql"SELECT COUNT(*) FROM ${dialect.table(inlinedTable)}"

  /** Columns: number of live rows. */
  def countLive(inlinedTable: String): Sql = sql"${countAll(inlinedTable)} WHERE ${own.end} IS NULL"

  /** Columns: number of live rows that began after a snapshot. */
  def countLiveSince(inlinedTable: String, base: SnapshotId): Sql =
    sql"${countLive(inlinedTable)} AND ${own.begin} > $base"

  /** Columns: number of rows; one question for each part of the row ids. The number counts live
    * rows with one of the row ids that began at or before a snapshot.
    */
  def countUnchanged(
      inlinedTable: String,
      rowIds: IndexedSeq[Long],
      base: SnapshotId,
  ): Vector[Sql] =
    RowIdTest.of(own.rowId, rowIds).map { test =>
      sql"${countLive(inlinedTable)} AND ${own.begin} <= $base AND $test"
    }

  /** Columns: number of rows that ended after a snapshot. */
  def countEndedSince(inlinedTable: String, at: SnapshotId): Sql =
    sql"${countAll(inlinedTable)} WHERE ${own.end} > $at"

  /** Columns: number of rows that a snapshot ended. */
  def countEndedAt(inlinedTable: String, at: SnapshotId): Sql =
    sql"${countAll(inlinedTable)} WHERE ${own.end} = $at"

  /** Columns: data file id, position; ordered by these columns. */
  def deletes(table: TableId, at: SnapshotId, choice: FileFilter): Sql =
    sql"""SELECT file_id, row_id
         |FROM ${dialect.table(InlinedSql.deletesTable(table))} AS deletes
         |WHERE begin_snapshot <= $at ${FileFilter.among("deletes", "file_id", choice)}
         |ORDER BY file_id, row_id"""
}

object InlinedSql {

  /** The name of the metadata table with the inlined deletes of a table. It is created with the
    * first inlined delete.
    */
  def deletesTable(table: TableId): String = s"ducklake_inlined_delete_${table.value}"
}
