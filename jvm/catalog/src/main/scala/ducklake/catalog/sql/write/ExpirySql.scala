package ducklake.catalog.sql.write

import ducklake.catalog.model.SnapshotGap
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** The two kinds of files, and where the catalog lists them. */
sealed abstract class FileKind(val table: MetadataTable, val key: String)

object FileKind {
  val all: Vector[FileKind] = Vector(Data, Delete)
  case object Data extends FileKind(MetadataSchema.DataFile, "data_file_id")
  case object Delete extends FileKind(MetadataSchema.DeleteFile, "delete_file_id")
}

/** Statements that remove snapshots, and the metadata rows that no snapshot sees any more.
  *
  * Source: DuckDB 1.5.5, expire_snapshots (format 9.1).
  */
final class ExpirySql(dialect: Dialect) {

  /** Columns: id; for all snapshots, increasing. */
  def snapshotIds: Sql =
    sql"""SELECT snapshot_id
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |ORDER BY snapshot_id"""

  /** Columns: id, time; of a page of the snapshots that may be older than the time, ordered by id.
    *
    * @param below all ids of the page are lower
    */
  def expiring(time: Instant, after: SnapshotId, below: SnapshotId, limit: Int): Sql = {
    val older = sql"snapshot_time < ${dialect.moment(Bind.Moment(time))}"
    val mayBeOlder = dialect
      .isUnsorted(Sql.identifier("snapshot_time"))
      .fold(older)(unsorted => sql"($older OR $unsorted)")
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id > $after AND snapshot_id < $below AND $mayBeOlder
         |ORDER BY snapshot_id
         |LIMIT ${limit.toLong}"""
  }

  /** Columns: id, time; of these snapshots, ordered by id. */
  def expiring(ids: Vector[SnapshotId]): Sql =
    sql"""SELECT snapshot_id, snapshot_time
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id IN (${Sql.list(ids.map(id => id: SqlPart))})
         |ORDER BY snapshot_id"""

  /** @param ids increasing; as ranges, when they are few */
  def removeSnapshots(ids: Vector[Long]): Vector[Sql] = {
    val ranges = ExpirySql.ranges(ids)
    val chosen =
      if (ranges.sizeIs > ExpirySql.MostRanges) Vector(among("snapshot_id", ids))
      else ranges.map { case (first, last) => sql"snapshot_id BETWEEN $first AND $last" }
    for {
      table <- Vector(MetadataSchema.Snapshot, MetadataSchema.SnapshotChanges)
      condition <- chosen
    } yield sql"DELETE FROM ${dialect.table(table)} WHERE $condition"
  }

  /** Columns: table id, begin, end; for all rows of tables. */
  def tableLifetimes: Sql =
    sql"""SELECT table_id, begin_snapshot, end_snapshot
         |FROM ${dialect.table(MetadataSchema.Table)}"""

  /** Columns: table id; for tables that are not listed, but have files of a kind. A look-up of each
    * file would take SQLite minutes, for the metadata tables have no index.
    */
  def unlistedTables(kind: FileKind): Sql =
    sql"""SELECT table_id FROM ${dialect.table(kind.table.name)}
         |EXCEPT
         |SELECT table_id FROM ${dialect.table(MetadataSchema.Table)}"""

  /** Columns: table id, path and whether it is relative of its schema, then of the table itself. A
    * table has several rows when it was renamed; the last row is the newest.
    */
  def directories(tables: Vector[TableId]): Sql =
    directoriesWhere(sql"owned.table_id IN (${Sql.list(tables.map(id => id: SqlPart))})")

  private def directoriesWhere(condition: Sql): Sql =
    sql"""SELECT owned.table_id, holder.path, holder.path_is_relative, owned.path,
         |  owned.path_is_relative
         |FROM ${dialect.table(MetadataSchema.Table)} AS owned
         |JOIN ${dialect.table(MetadataSchema.Schema)} AS holder
         |  ON holder.schema_id = owned.schema_id
         |WHERE $condition
         |ORDER BY owned.begin_snapshot, holder.begin_snapshot"""

  /** Columns: id, begin, end; for a page of the files that have ended, ordered by id. */
  def endedFiles(kind: FileKind, after: Long, limit: Int): Sql =
    page(kind, sql"end_snapshot IS NOT NULL", after, limit)

  /** Like [[endedFiles]], for the files of some tables that have not ended. */
  def liveFiles(kind: FileKind, tables: Vector[TableId], after: Long, limit: Int): Sql = {
    val ids = Sql.list(tables.map(id => id: SqlPart))
    page(kind, sql"end_snapshot IS NULL AND table_id IN ($ids)", after, limit)
  }

  private def page(kind: FileKind, condition: Sql, after: Long, limit: Int): Sql = {
    val key = Sql.identifier(kind.key)
    sql"""SELECT $key, begin_snapshot, end_snapshot
         |FROM ${dialect.table(kind.table.name)}
         |WHERE $key > $after AND $condition
         |ORDER BY $key
         |LIMIT ${limit.toLong}"""
  }

  /** Columns: id, table id, path, whether it is relative; for files of a kind. */
  def files(kind: FileKind, ids: Vector[Long]): Sql =
    sql"""SELECT ${Sql.identifier(kind.key)}, table_id, path, path_is_relative
         |FROM ${dialect.table(kind.table.name)}
         |WHERE ${among(kind.key, ids)}
         |ORDER BY ${Sql.identifier(kind.key)}"""

  /** Removes data files with all their metadata, their delete files included. */
  def removeDataFiles(ids: Vector[Long]): Vector[Sql] =
    ExpirySql.ofDataFiles.map(remove(_, FileKind.Data.key, ids))

  /** Removes data files without what other tables say of them. */
  def removeFileRows(ids: Vector[Long]): Sql =
    remove(MetadataSchema.DataFile, FileKind.Data.key, ids)

  /** Removes what a table says of data files that have ended and that no snapshot sees. Files are
    * looked up by their key, so that no part reads the whole table of files.
    *
    * @param ids the smallest and the largest id of these files
    * @param gaps the snapshots that are gone
    * @param part which rows of the table `swept` are looked at
    */
  def removeOfEnded(
      table: MetadataTable,
      ids: (Long, Long),
      gaps: Vector[SnapshotGap],
      part: Sql,
  ): Sql = {
    val isUnseen = gaps
      .map(gap => sql"(data.begin_snapshot > ${gap.after} AND data.end_snapshot <= ${gap.next})")
      .reduce((one, other) => sql"$one OR $other")
    sql"""DELETE FROM ${dialect.table(table)} AS swept
         |WHERE $part AND swept.data_file_id BETWEEN ${ids._1} AND ${ids._2}
         |  AND (
         |    SELECT CASE WHEN $isUnseen THEN 1 END
         |    FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |    WHERE data.data_file_id = swept.data_file_id) = 1"""
  }

  /** Like [[removeOfEnded]], for all data files of some tables. */
  def removeOfTables(table: MetadataTable, tables: Vector[TableId], part: Sql): Sql =
    sql"""DELETE FROM ${dialect.table(table)} AS swept
         |WHERE $part AND swept.table_id IN (${Sql.list(tables.map(id => id: SqlPart))})"""

  def removeDeleteFiles(ids: Vector[Long]): Sql =
    remove(MetadataSchema.DeleteFile, FileKind.Delete.key, ids)

  /** Columns: name of an inlined table. */
  def inlinedTables(tables: Vector[Long]): Sql =
    sql"""SELECT table_name
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)}
         |WHERE ${among("table_id", tables)}"""

  /** Columns: table id, path and whether it is relative of its schema, then of the table itself; as
    * [[directories]], for all tables.
    */
  def allDirectories: Sql = directoriesWhere(sql"1 = 1")

  /** Columns: table id, path, whether it is relative; for all files of a kind in all snapshots. */
  def allFiles(kind: FileKind): Sql =
    sql"SELECT table_id, path, path_is_relative FROM ${dialect.table(kind.table.name)}"

  /** Columns: path, whether it is relative; for all files that are scheduled for deletion. */
  def allScheduled: Sql =
    sql"SELECT path, path_is_relative FROM ${dialect.table(MetadataSchema.ScheduledForDeletion)}"

  /** Columns: table id, path, whether it is relative; for the first and the last data files. */
  def someFiles: Vector[Sql] =
    Vector(sql"data_file_id", sql"data_file_id DESC").map { order =>
      sql"${allFiles(FileKind.Data)} ORDER BY $order LIMIT ${ExpirySql.SomeFiles}"
    }

  /** Columns: path, whether it is relative; for all schemas, dropped schemas included. */
  def schemaPaths: Sql =
    sql"SELECT path, path_is_relative FROM ${dialect.table(MetadataSchema.Schema)}"

  /** Removes files from the list of files scheduled for deletion.
    *
    * @param paths as they are stored
    */
  def unschedule(paths: Vector[String]): Sql =
    sql"""DELETE FROM ${dialect.table(MetadataSchema.ScheduledForDeletion)}
         |WHERE path IN (${Sql.list(paths.map(path => path: SqlPart))})"""

  def dropTable(name: String): Sql = sql"DROP TABLE IF EXISTS ${dialect.table(name)}"

  /** Removes tables with all their metadata, except files. */
  def removeTables(ids: Vector[Long]): Vector[Sql] =
    ExpirySql.ofTables.map(remove(_, "table_id", ids))

  /** Removes schemas, views, tags and macros that no snapshot sees, then the parts of macros and of
    * name mappings without an owner.
    */
  def removeOthers(version: FormatVersion): Vector[Sql] =
    ExpirySql.others.filter(_.added.forall(version.has)).map(removeUnseen) ++ Vector(
      removeOrphans(MetadataSchema.MacroImpl, "macro_id", MetadataSchema.Macro),
      removeOrphans(MetadataSchema.MacroParameters, "macro_id", MetadataSchema.Macro),
      removeOrphans(MetadataSchema.NameMapping, "mapping_id", MetadataSchema.ColumnMapping),
    )

  private def removeUnseen(table: MetadataTable): Sql =
    sql"""DELETE FROM ${dialect.table(table.name)}
         |WHERE end_snapshot IS NOT NULL
         |  AND NOT EXISTS (
         |    SELECT 1
         |    FROM ${dialect.table(MetadataSchema.Snapshot)} AS kept
         |    WHERE kept.snapshot_id >= begin_snapshot AND kept.snapshot_id < end_snapshot)"""

  private def removeOrphans(table: MetadataTable, key: String, owner: MetadataTable): Sql = {
    val column = Sql.identifier(key)
    sql"""DELETE FROM ${dialect.table(table.name)}
         |WHERE $column NOT IN (SELECT $column FROM ${dialect.table(owner.name)})"""
  }

  private def remove(table: MetadataTable, key: String, ids: Vector[Long]): Sql =
    sql"""DELETE FROM ${dialect.table(table.name)}
         |WHERE ${among(key, ids)}"""

  private def among(column: String, ids: Vector[Long]): Sql =
    sql"${Sql.identifier(column)} IN (${Sql.list(ids.map(id => id: SqlPart))})"
}

object ExpirySql {
  private val SomeFiles = 10L
  private val MostRanges = 20

  /** The ranges of ids without a gap, each with its first and its last id.
    *
    * @param ids increasing
    */
  private def ranges(ids: Vector[Long]): Vector[(Long, Long)] = {
    val starts = ids.indices.filter(at => at == 0 || ids(at) != ids(at - 1) + 1)
    starts
      .zip(starts.drop(1) :+ ids.size)
      .map { case (from, until) =>
        (ids(from), ids(until - 1))
      }
      .toVector
  }

  /** The tables that describe data files, without a key or an index. */
  val describingFiles: Vector[MetadataTable] = Vector(
    MetadataSchema.FileColumnStats,
    MetadataSchema.FileVariantStats,
    MetadataSchema.FilePartitionValue,
  )

  private val ofDataFiles: Vector[MetadataTable] =
    (MetadataSchema.DataFile +: describingFiles) :+ MetadataSchema.DeleteFile

  private val ofTables: Vector[MetadataTable] = Vector(
    MetadataSchema.Table,
    MetadataSchema.TableStats,
    MetadataSchema.TableColumnStats,
    MetadataSchema.PartitionInfo,
    MetadataSchema.PartitionColumn,
    MetadataSchema.Column,
    MetadataSchema.ColumnTag,
    MetadataSchema.SortInfo,
    MetadataSchema.SortExpression,
    MetadataSchema.SchemaVersions,
    MetadataSchema.InlinedDataTables,
    MetadataSchema.ColumnMapping,
  )

  private val others: Vector[MetadataTable] =
    Vector(
      MetadataSchema.Schema,
      MetadataSchema.View,
      MetadataSchema.Tag,
      MetadataSchema.Macro,
      MetadataSchema.ViewColumnTag,
    )
}
