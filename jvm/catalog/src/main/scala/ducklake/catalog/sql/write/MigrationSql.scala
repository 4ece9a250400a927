package ducklake.catalog.sql.write

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.Identifier
import ducklake.catalog.sql.MetadataColumn
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart

/** Statements that migrate a catalog of an older version to 1.0 or 1.1.
  *
  * Source: DuckDB 1.5.5, observed (format 1.5); format 14.12.
  */
final class MigrationSql(dialect: Dialect) {

  def addColumn(table: MetadataTable, column: MetadataColumn): Sql =
    sql"""ALTER TABLE ${dialect.table(table.name)}
         |ADD COLUMN ${Sql.identifier(column.name)}
         |${Sql(dialect.columnType(column.kind), Vector.empty)}"""

  /** Up to 0.2 the table of file statistics had another name. */
  def renameFileStatistics: Sql =
    sql"""ALTER TABLE ${dialect.table(MigrationSql.OldFileStatistics)}
         |RENAME TO ${Sql.identifier(MetadataSchema.FileColumnStats.name)}"""

  /** Renames one of the first columns of an inlined table. */
  def renameColumn(inlinedTable: String, from: Sql, to: Sql): Sql =
    sql"ALTER TABLE ${dialect.table(inlinedTable)} RENAME COLUMN $from TO $to"

  /** Gives a column of an inlined table in PostgreSQL the type `bytea` or `varchar`. The values do
    * not change: texts become their bytes, points in time their texts in DuckDB's spelling,
    * provided that the time zone of the transaction is UTC.
    */
  def convertInlined(inlinedTable: String, column: Identifier, today: String): Sql = {
    val text = sql"CAST($column AS text)"
    val converted =
      if (today == "bytea") sql"convert_to($text, 'UTF8')"
      else sql"regexp_replace($text, '^(\S+)(.*) BC$$', '\1 (BC)\2')"
    sql"""ALTER TABLE ${dialect.table(inlinedTable)}
         |ALTER COLUMN $column TYPE ${Sql(today, Vector.empty)} USING $converted"""
  }

  def timesInUtc: Sql = sql"SET LOCAL TimeZone = 'UTC'"

  def dropPartialFileInfo: Sql =
    sql"""ALTER TABLE ${dialect.table(MetadataSchema.DataFile)}
         |DROP COLUMN ${Sql.identifier(MigrationSql.PartialFileInfo)}"""

  /** The tables of a catalog of 0.1 have their files directly in the data path. */
  def pathsOfFirstVersion: Vector[Sql] =
    Vector(MetadataSchema.Schema, MetadataSchema.Table).map { table =>
      sql"""UPDATE ${dialect.table(table.name)}
           |SET path = '', path_is_relative = ${Bind.Flag(true)}"""
    }

  /** Partition keys of 0.1 name their column by position. */
  def partitionColumnsOfFirstVersion: Sql = {
    val columns = dialect.table(MetadataSchema.Column)
    sql"""UPDATE ${dialect.table(MetadataSchema.PartitionColumn)} AS part
         |SET column_id = (
         |  SELECT live.column_id
         |  FROM $columns AS live
         |  WHERE live.table_id = part.table_id AND live.parent_column IS NULL
         |    AND live.end_snapshot IS NULL
         |    AND part.column_id = (
         |      SELECT COUNT(*)
         |      FROM $columns AS earlier
         |      WHERE earlier.table_id = live.table_id AND earlier.parent_column IS NULL
         |        AND earlier.end_snapshot IS NULL
         |        AND earlier.column_order < live.column_order))"""
  }

  def mappingsWithoutPartitions: Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.NameMapping)}
         |SET is_partition = ${Bind.Flag(false)}"""

  /** Inserts each schema version of the whole lake, with its first snapshot. */
  def schemaVersionsOfSnapshots: Sql =
    sql"""INSERT INTO ${dialect.table(MetadataSchema.SchemaVersions)}
         |  (begin_snapshot, schema_version)
         |SELECT MIN(snapshot_id), schema_version
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |GROUP BY schema_version
         |ORDER BY schema_version"""

  /** Replaces the schema versions of the whole lake by schema versions of tables: one row for each
    * row of `ducklake_table` that was live at the version's first snapshot or ended at it, as
    * DuckDB does.
    */
  def schemaVersionsOfTables: Vector[Sql] = {
    val versions = dialect.table(MetadataSchema.SchemaVersions)
    Vector(
      sql"""INSERT INTO $versions (begin_snapshot, schema_version, table_id)
           |SELECT whole.begin_snapshot, whole.schema_version, entry.table_id
           |FROM $versions AS whole
           |JOIN ${dialect.table(MetadataSchema.Table)} AS entry
           |  ON whole.begin_snapshot >= entry.begin_snapshot
           |  AND (entry.end_snapshot IS NULL OR whole.begin_snapshot <= entry.end_snapshot)
           |WHERE whole.table_id IS NULL""",
      sql"DELETE FROM $versions WHERE table_id IS NULL",
    )
  }

  def literalDefaults: Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.Column)}
         |SET default_value_type = 'literal'"""

  /** Columns: data file id, largest snapshot inside. Only texts of the form `partial_max:3` can be
    * migrated: only the other form records the snapshot of each row; the files do not.
    */
  def partialFiles: Sql = {
    val info = Sql.identifier(MigrationSql.PartialFileInfo)
    sql"""SELECT data_file_id, CAST(SUBSTR($info, 13) AS BIGINT)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE $info LIKE 'partial_max:%'"""
  }

  /** Columns: the last name of a table, a text of the form `2:1|3:3|4:4`; for data files that list
    * the rows of their snapshots.
    */
  def runsOfFiles: Sql = {
    val info = Sql.identifier(MigrationSql.PartialFileInfo)
    val tables = dialect.table(MetadataSchema.Table)
    sql"""SELECT entry.table_name, data.$info
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |JOIN $tables AS entry
         |  ON entry.table_id = data.table_id AND entry.begin_snapshot = (
         |    SELECT MAX(begin_snapshot) FROM $tables WHERE table_id = data.table_id)
         |WHERE data.$info NOT LIKE 'partial_max:%'"""
  }

  def setPartialMax(largest: Long, files: Vector[Long]): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.DataFile)}
         |SET partial_max = $largest
         |WHERE data_file_id IN (${Sql.list(files.map(id => id: SqlPart))})"""

  def setVersion(from: FormatVersion, to: FormatVersion): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.Metadata)}
         |SET "value" = ${to.text}
         |WHERE "key" = 'version' AND "value" = ${from.text}"""
}

object MigrationSql {
  val OldFileStatistics: String = "ducklake_file_column_statistics"
  val PartialFileInfo: String = "partial_file_info"
}
