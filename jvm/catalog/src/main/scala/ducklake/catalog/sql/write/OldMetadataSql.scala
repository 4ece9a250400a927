package ducklake.catalog.sql.write

import ducklake.catalog.model.OldColumn
import ducklake.catalog.model.OldSchemaVersion
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart

/** Statements on metadata that an expiry of DuckDB, or an interrupted one, leaves: rows whose owner
  * is no longer in the catalog, and rows that ended before every snapshot that sees them expired.
  */
final class OldMetadataSql(dialect: Dialect, version: FormatVersion) {

  /** The tables with old rows of these kinds, each with the condition for a row of it, in which the
    * table is called `swept`. A condition refers to tables whose rows go later, so it does not
    * change on the way.
    */
  val conditions: Vector[(MetadataTable, Sql)] = {
    val ofTables = OldMetadataSql.ofTables.map(_ -> hasNoTable)
    val described = ExpirySql.describingFiles.map(_ -> hasNoFile)
    val parts = Vector(
      MetadataSchema.SortExpression -> sql"$hasNoTable OR ${hasNoOwner("sort_id", live("sort_id", MetadataSchema.SortInfo))}",
      MetadataSchema.SortInfo -> sql"$hasNoTable OR ${isUnseen("swept")}",
      MetadataSchema.PartitionColumn ->
        sql"$hasNoTable OR ${hasNoOwner("partition_id", ids("partition_id", MetadataSchema.PartitionInfo))}",
      MetadataSchema.ColumnTag -> sql"$hasNoTable OR ${isUnseen("swept")}",
      MetadataSchema.NameMapping -> hasNoOwner("mapping_id", liveMappings),
      MetadataSchema.MacroImpl -> hasNoOwner("macro_id", live("macro_id", MetadataSchema.Macro)),
      MetadataSchema.MacroParameters ->
        hasNoOwner("macro_id", live("macro_id", MetadataSchema.Macro)),
      MetadataSchema.Schema ->
        sql"${isUnseen("swept")} AND ${hasNoOwner("schema_id", ids("schema_id", MetadataSchema.Table))}",
    )
    val objects =
      Vector(
        MetadataSchema.View,
        MetadataSchema.Tag,
        MetadataSchema.Macro,
        MetadataSchema.ViewColumnTag,
      ).map(_ -> isUnseen("swept"))
    (parts ++ objects ++ described ++ ofTables)
      .filter { case (table, _) => table.added.forall(version.has) }
  }

  /** Columns: their number. */
  def count(table: MetadataTable, condition: Sql): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(table)} AS swept WHERE $condition"

  /** @param part which rows are looked at */
  def remove(table: MetadataTable, condition: Sql, part: Sql): Sql =
    sql"DELETE FROM ${dialect.table(table)} AS swept WHERE $part AND ($condition)"

  /** Columns: table id, name, schema version; for all inlined tables, by table and version. */
  def inlinedTables: Sql =
    sql"""SELECT table_id, table_name, schema_version
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)}
         |ORDER BY table_id, schema_version"""

  /** Columns: table id, of all tables that the catalog has. */
  def tables: Sql = ids("table_id", MetadataSchema.Table)

  /** Columns: a name; for those of the inlined tables that have rows.
    *
    * @param names at most 500, for SQLite
    */
  def withRows(names: Vector[String]): Option[Sql] =
    names
      .map { name =>
        sql"SELECT CAST($name AS VARCHAR) WHERE EXISTS (SELECT 1 FROM ${dialect.table(name)})"
      }
      .reduceOption((one, other) => sql"$one UNION ALL $other")

  def unregister(names: Vector[String]): Sql =
    sql"""DELETE FROM ${dialect.table(MetadataSchema.InlinedDataTables)}
         |WHERE table_name IN (${Sql.list(names.map(name => name: SqlPart))})"""

  /** Columns: table id, schema version, begin; of tables that the catalog has, by table and begin.
    */
  def schemaVersions: Sql =
    sql"""SELECT table_id, schema_version, begin_snapshot
         |FROM ${dialect.table(MetadataSchema.SchemaVersions)}
         |WHERE table_id IN ($tables)
         |ORDER BY table_id, begin_snapshot, schema_version"""

  /** Columns: table id, column id, begin, end; of the columns that have ended. */
  def endedColumns: Sql =
    sql"""SELECT table_id, column_id, begin_snapshot, end_snapshot
         |FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE end_snapshot IS NOT NULL"""

  /** Columns: partition id, begin, end; of the partition specs that have ended, of tables
    * that the catalog has.
    */
  def endedPartitions: Sql =
    sql"""SELECT partition_id, begin_snapshot, end_snapshot
         |FROM ${dialect.table(MetadataSchema.PartitionInfo)}
         |WHERE end_snapshot IS NOT NULL AND table_id IN ($tables)"""

  /** Columns: id, table id, begin, the last snapshot with rows in it, partition id; of a page of
    * data files, by id.
    */
  def dataFiles(after: Long, limit: Int): Sql =
    sql"""SELECT data_file_id, table_id, begin_snapshot, COALESCE($last, begin_snapshot), partition_id
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE data_file_id > $after
         |ORDER BY data_file_id
         |LIMIT ${limit.toLong}"""

  private def last: Sql = if (version.hasPartialMax) sql"partial_max" else sql"NULL"

  def removeColumns(columns: Vector[OldColumn]): Sql = {
    val keys = columns.map(one => sql"(${one.table}, ${one.column}, ${one.begin})")
    sql"""DELETE FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE end_snapshot IS NOT NULL
         |  AND (table_id, column_id, begin_snapshot) IN (VALUES ${Sql.list(keys)})"""
  }

  def removeVersions(versions: Vector[OldSchemaVersion]): Sql = {
    val keys = versions.map(one => sql"(${one.table}, ${one.begin})")
    sql"""DELETE FROM ${dialect.table(MetadataSchema.SchemaVersions)}
         |WHERE (table_id, begin_snapshot) IN (VALUES ${Sql.list(keys)})"""
  }

  /** Columns: number of keys of partition specs. */
  def countPartitionColumns(partitions: Vector[Long]): Sql =
    sql"SELECT COUNT(*) FROM ${dialect.table(MetadataSchema.PartitionColumn)} WHERE ${among(partitions)}"

  def removePartitions(partitions: Vector[Long]): Vector[Sql] =
    Vector(MetadataSchema.PartitionColumn, MetadataSchema.PartitionInfo).map { table =>
      sql"DELETE FROM ${dialect.table(table)} WHERE ${among(partitions)}"
    }

  private def among(partitions: Vector[Long]): Sql =
    sql"partition_id IN (${Sql.list(partitions.map(id => id: SqlPart))})"

  private def hasNoTable: Sql = hasNoOwner("table_id", tables)

  /** Files are looked up by their key, so that no part reads the whole table of files. */
  private def hasNoFile: Sql =
    sql"""(
         |  SELECT 1
         |  FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |  WHERE data.data_file_id = swept.data_file_id) IS NULL"""

  private def hasNoOwner(key: String, owners: Sql): Sql =
    sql"swept.${Sql.identifier(key)} NOT IN ($owners)"

  private def liveMappings: Sql =
    sql"""SELECT mapping_id
         |FROM ${dialect.table(MetadataSchema.ColumnMapping)}
         |WHERE table_id IN ($tables)"""

  private def live(key: String, table: MetadataTable): Sql =
    sql"""SELECT ${Sql.identifier(key)}
         |FROM ${dialect.table(table)} AS own
         |WHERE NOT (${isUnseen("own")})"""

  private def ids(key: String, table: MetadataTable): Sql =
    sql"SELECT ${Sql.identifier(key)} FROM ${dialect.table(table)}"

  private def isUnseen(alias: String): Sql = {
    val own = Sql.identifier(alias)
    sql"""$own.end_snapshot IS NOT NULL
         |  AND NOT EXISTS (
         |    SELECT 1
         |    FROM ${dialect.table(MetadataSchema.Snapshot)} AS kept
         |    WHERE kept.snapshot_id >= $own.begin_snapshot
         |      AND kept.snapshot_id < $own.end_snapshot)"""
  }
}

private object OldMetadataSql {

  /** What describes tables, and goes with them alone. */
  val ofTables: Vector[MetadataTable] = Vector(
    MetadataSchema.TableStats,
    MetadataSchema.TableColumnStats,
    MetadataSchema.PartitionInfo,
    MetadataSchema.Column,
    MetadataSchema.SchemaVersions,
    MetadataSchema.ColumnMapping,
  )
}
