package ducklake.catalog.sql.query

import ducklake.catalog.model.SnapshotOrder
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.model.SnapshotTexts
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.ChangesMade
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** The position of a snapshot relative to a point in time. */
sealed trait TimeSide

object TimeSide {
  val all: Vector[TimeSide] = Vector(Before, AtOrBefore, AtOrAfter, After)
  case object Before extends TimeSide
  case object AtOrBefore extends TimeSide
  case object AtOrAfter extends TimeSide
  case object After extends TimeSide
}

/** Statements on snapshots and options. */
final class SnapshotSql(dialect: Dialect) {

  /** Reads the newest snapshot. Columns: the five columns of the snapshot, then version, data path,
    * UUID of the oldest schema, and the time of the snapshot `known`.
    */
  def head(known: SnapshotId): Sql =
    sql"""${selectHead(known)}
         |ORDER BY snapshot.snapshot_id DESC
         |LIMIT 1"""

  /** Like [[head]], for the snapshot `id`. */
  def at(id: SnapshotId, known: SnapshotId): Sql =
    sql"""${selectHead(known)}
         |WHERE snapshot.snapshot_id = $id"""

  /** Columns: smallest and largest id. */
  def range: Sql =
    sql"""SELECT MIN(snapshot_id), MAX(snapshot_id)
         |FROM ${dialect.table(MetadataSchema.Snapshot)}"""

  /** Columns: id, time. */
  def times: Sql =
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}"""

  /** Columns: time; of this snapshot. */
  def timeOf(id: SnapshotId): Sql =
    sql"""SELECT snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id = $id"""

  /** Columns: id, time; of the newest snapshot. */
  def newest: Sql =
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |ORDER BY snapshot_id DESC
         |LIMIT 1"""

  /** Columns: number of snapshots of the range, and number of these with known changes. */
  def count(range: SnapshotRange): Sql =
    sql"""SELECT COUNT(*), COUNT(changes.snapshot_id)
         |FROM ${dialect.table(MetadataSchema.Snapshot)} AS snapshot
         |$withChanges
         |WHERE snapshot.snapshot_id BETWEEN ${range.first} AND ${range.last}"""

  /** Columns: id, time; of these snapshots, the oldest and the newest one. */
  def timesOf(ids: Vector[SnapshotId]): Sql = {
    val snapshots = dialect.table(MetadataSchema.Snapshot)
    sql"""SELECT snapshot_id, snapshot_time
         |FROM $snapshots
         |WHERE snapshot_id IN (${Sql.list(ids.map(id => id: SqlPart))})
         |  OR snapshot_id = (SELECT MIN(snapshot_id) FROM $snapshots)
         |  OR snapshot_id = (SELECT MAX(snapshot_id) FROM $snapshots)"""
  }

  /** Columns: id; of the snapshot that is the nearest to a time on one side. Snapshots with the
    * same time are ordered by id. Right only when [[unsortedTimes]] finds none.
    */
  def nearest(time: Instant, side: TimeSide): Sql = {
    val (operator, order) = side match {
      case TimeSide.Before => (sql"<", sql"DESC")
      case TimeSide.AtOrBefore => (sql"<=", sql"DESC")
      case TimeSide.AtOrAfter => (sql">=", sql"ASC")
      case TimeSide.After => (sql">", sql"ASC")
    }
    sql"""SELECT snapshot_id
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_time $operator ${dialect.moment(Bind.Moment(time))}
         |ORDER BY snapshot_time $order, snapshot_id $order
         |LIMIT 1"""
  }

  /** Columns: number of snapshots whose times the database would not sort in their order; None: the
    * database sorts all times in their order.
    */
  def unsortedTimes: Option[Sql] =
    dialect.isUnsorted(Sql.identifier("snapshot_time")).map { condition =>
      sql"""SELECT COUNT(*)
           |FROM ${dialect.table(MetadataSchema.Snapshot)}
           |WHERE $condition"""
    }

  /** Columns: the five columns of the snapshot, changes, author, message, extra information; in the
    * order of the request. Texts that the request leaves out are NULL.
    */
  def list(version: FormatVersion, request: SnapshotRequest, limit: Int): Sql = {
    val texts = request.texts match {
      case SnapshotTexts.Read => sql"${ChangesMade.joined}, ${commitInfo(version)}"
      case SnapshotTexts.LeftOut => sql"NULL, NULL, NULL, NULL"
    }
    val order = request.order match {
      case SnapshotOrder.OldestFirst => sql"ASC"
      case SnapshotOrder.NewestFirst => sql"DESC"
    }
    val isJoined = request.texts == SnapshotTexts.Read || request.table.nonEmpty
    val rest = sql"""WHERE ${conditions(request)}
                    |ORDER BY snapshot.snapshot_id $order
                    |LIMIT ${limit.toLong}"""
    sql"""${selected(texts)}
         |${if (isJoined) withChanges else Sql.empty}
         |$rest"""
  }

  /** Like [[list]], for these snapshots, ordered by id. */
  def list(version: FormatVersion, ids: Vector[SnapshotId]): Sql =
    sql"""${selected(sql"${ChangesMade.joined}, ${commitInfo(version)}")}
         |$withChanges
         |WHERE snapshot.snapshot_id IN (${Sql.list(ids.map(id => id: SqlPart))})
         |ORDER BY snapshot.snapshot_id"""

  private def selected(texts: Sql): Sql =
    sql"""SELECT snapshot.snapshot_id, snapshot.snapshot_time, snapshot.schema_version,
         |  snapshot.next_catalog_id, snapshot.next_file_id, $texts
         |FROM ${dialect.table(MetadataSchema.Snapshot)} AS snapshot"""

  private def withChanges: Sql =
    sql"""LEFT JOIN ${dialect.table(MetadataSchema.SnapshotChanges)} AS changes
         |  ON changes.snapshot_id = snapshot.snapshot_id"""

  private def conditions(request: SnapshotRequest): Sql =
    (request.first.map(id => sql"snapshot.snapshot_id >= $id") ++
      request.last.map(id => sql"snapshot.snapshot_id <= $id") ++
      request.since.map(time => orUnsorted(sql">=", time)) ++
      request.until.map(time => orUnsorted(sql"<=", time)) ++
      request.table.map(names)).foldLeft(sql"1 = 1")((all, one) => sql"$all AND $one")

  /** Times that the database does not sort in their order satisfy the condition. */
  private def orUnsorted(operator: Sql, time: Instant): Sql = {
    val column = Sql.identifier("snapshot_time")
    val compared =
      sql"snapshot.snapshot_time $operator ${dialect.moment(Bind.Moment(time))}"
    dialect.isUnsorted(column).fold(compared)(unsorted => sql"($compared OR $unsorted)")
  }

  private def names(table: TableId): Sql =
    sql"""(changes.changes_made LIKE ${s"%:${table.value}%"}
         |  OR snapshot.snapshot_id IN (${beginsOf(table)}))"""

  /** Columns: the snapshot with which a row of the table begins. */
  def beginsOf(table: TableId): Sql =
    sql"""SELECT begin_snapshot
         |FROM ${dialect.table(MetadataSchema.Table)}
         |WHERE table_id = $table"""

  /** Columns: key, value, scope, id of the schema or table. */
  def options(version: FormatVersion): Sql = {
    val scope = if (version.hasScopes) sql"scope, scope_id" else sql"NULL, NULL"
    sql"""SELECT "key", "value", $scope
         |FROM ${dialect.table(MetadataSchema.Metadata)}"""
  }

  /** Like [[options]], for lakes that can be written: these keys, as stored for the lake and for
    * some schemas and tables.
    */
  def options(keys: Vector[String], schemas: Vector[SchemaId], tables: Vector[TableId]): Sql = {
    val ofSchemas = ofScope("schema", schemas.map(id => id: SqlPart))
    val ofTables = ofScope("table", tables.map(id => id: SqlPart))
    val places = (sql"scope IS NULL" +: (ofSchemas ++ ofTables).toVector)
      .reduce((one, other) => sql"$one OR $other")
    sql"""${options(FormatVersion.V10)}
         |WHERE "key" IN (${Sql.list(keys.map(key => key: SqlPart))}) AND ($places)"""
  }

  /** Like [[options]], for lakes that can be written: those of the lake whose keys have this prefix.
    */
  def lakeOptions(prefix: String): Sql =
    sql"""${options(FormatVersion.V10)}
         |WHERE "key" LIKE ${s"$prefix%"} AND scope IS NULL"""

  /** Like [[lakeOptions]], for the options of tables. */
  def tableOptions(prefix: String): Sql =
    sql"""${options(FormatVersion.V10)}
         |WHERE "key" LIKE ${s"$prefix%"} AND scope = 'table'"""

  private def ofScope(kind: String, ids: Vector[SqlPart]): Option[Sql] =
    Option.when(ids.nonEmpty)(sql"(scope = $kind AND scope_id IN (${Sql.list(ids)}))")

  private def commitInfo(version: FormatVersion): Sql =
    if (version.hasCommitInfo)
      sql"changes.author, changes.commit_message, changes.commit_extra_info"
    else sql"NULL, NULL, NULL"

  private def selectHead(known: SnapshotId): Sql =
    sql"""SELECT snapshot.snapshot_id, snapshot.snapshot_time, snapshot.schema_version,
         |  snapshot.next_catalog_id, snapshot.next_file_id,
         |  ${option("version")}, ${option("data_path")},
         |  (SELECT schema_uuid
         |   FROM ${dialect.table(MetadataSchema.Schema)}
         |   ORDER BY begin_snapshot, schema_id
         |   LIMIT 1),
         |  (SELECT snapshot_time
         |   FROM ${dialect.table(MetadataSchema.Snapshot)}
         |   WHERE snapshot_id = $known),
         |  ${option("encrypted")}
         |FROM ${dialect.table(MetadataSchema.Snapshot)} AS snapshot"""

  private def option(key: String): Sql = {
    val options = dialect.table(MetadataSchema.Metadata)
    sql"""(SELECT "value" FROM $options WHERE "key" = $key LIMIT 1)"""
  }
}
