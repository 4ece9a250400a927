package ducklake.catalog.sql

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator

import java.time.Instant

/** Statements on snapshots and options. */
final class SnapshotSql(dialect: Dialect) {

  /** Reads the newest snapshot. Columns: the five of the snapshot, then version, data path, UUID of
    * the oldest schema, and the time of the snapshot `known`.
    */
  def head(known: SnapshotId): Sql =
    sql"""${selectHead(known)}
         |ORDER BY snapshot.snapshot_id DESC
         |LIMIT 1"""

  /** As [[head]], for the snapshot `id`. */
  def at(id: SnapshotId, known: SnapshotId): Sql =
    sql"""${selectHead(known)}
         |WHERE snapshot.snapshot_id = $id"""

  /** Columns: smallest and largest id. */
  def range: Sql =
    sql"""SELECT MIN(snapshot_id), MAX(snapshot_id)
         |FROM ${dialect.table("ducklake_snapshot")}"""

  /** Columns: id, time. */
  def times: Sql =
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table("ducklake_snapshot")}"""

  /** Columns: id, time; of these snapshots, the oldest and the newest one. */
  def timesOf(ids: Vector[SnapshotId]): Sql =
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table("ducklake_snapshot")}
         |WHERE snapshot_id IN (${Sql.list(ids.map(id => id: SqlPart))})
         |  OR snapshot_id = (SELECT MIN(snapshot_id) FROM ${dialect.table("ducklake_snapshot")})
         |  OR snapshot_id = (SELECT MAX(snapshot_id) FROM ${dialect.table("ducklake_snapshot")})"""

  /** Columns: id; of the newest snapshot at or before a time. Right only when [[unsortedTimes]] finds
    * none.
    */
  def atOrBefore(time: Instant): Sql =
    sql"""SELECT snapshot_id
         |FROM ${dialect.table("ducklake_snapshot")}
         |WHERE snapshot_time <= ${dialect.moment(Bind.Moment(time))}
         |ORDER BY snapshot_time DESC, snapshot_id DESC
         |LIMIT 1"""

  /** Columns: number of snapshots whose times the database would not sort in their order; None: it
    * sorts all times.
    */
  def unsortedTimes: Option[Sql] =
    dialect.isUnsorted(Sql.identifier("snapshot_time")).map { condition =>
      sql"""SELECT COUNT(*)
           |FROM ${dialect.table("ducklake_snapshot")}
           |WHERE $condition"""
    }

  /** Columns: the five of the snapshot, changes, author, message, extra information; ordered by id.
    */
  def list(version: FormatVersion): Sql =
    sql"""SELECT snapshot.snapshot_id, snapshot.snapshot_time, snapshot.schema_version,
         |  snapshot.next_catalog_id, snapshot.next_file_id, ${ChangesMade.joined},
         |  ${commitInfo(version)}
         |FROM ${dialect.table("ducklake_snapshot")} AS snapshot
         |LEFT JOIN ${dialect.table("ducklake_snapshot_changes")} AS changes
         |  ON changes.snapshot_id = snapshot.snapshot_id
         |ORDER BY snapshot.snapshot_id"""

  /** Columns: the snapshot with which a row of the table begins. */
  def beginsOf(table: TableId): Sql =
    sql"""SELECT begin_snapshot
         |FROM ${dialect.table("ducklake_table")}
         |WHERE table_id = $table"""

  /** Columns: key, value, scope, id of the schema or table. */
  def options(version: FormatVersion): Sql = {
    val scope = if (version.hasScopes) sql"scope, scope_id" else sql"NULL, NULL"
    sql"""SELECT "key", "value", $scope
         |FROM ${dialect.table("ducklake_metadata")}"""
  }

  private def commitInfo(version: FormatVersion): Sql =
    if (version.hasCommitInfo)
      sql"changes.author, changes.commit_message, changes.commit_extra_info"
    else sql"NULL, NULL, NULL"

  private def selectHead(known: SnapshotId): Sql =
    sql"""SELECT snapshot.snapshot_id, snapshot.snapshot_time, snapshot.schema_version,
         |  snapshot.next_catalog_id, snapshot.next_file_id,
         |  ${option("version")}, ${option("data_path")},
         |  (SELECT schema_uuid
         |   FROM ${dialect.table("ducklake_schema")}
         |   ORDER BY begin_snapshot, schema_id
         |   LIMIT 1),
         |  (SELECT snapshot_time
         |   FROM ${dialect.table("ducklake_snapshot")}
         |   WHERE snapshot_id = $known),
         |  ${option("encrypted")}
         |FROM ${dialect.table("ducklake_snapshot")} AS snapshot"""

  private def option(key: String): Sql =
    sql"""(SELECT "value" FROM ${dialect.table("ducklake_metadata")} WHERE "key" = $key LIMIT 1)"""
}
