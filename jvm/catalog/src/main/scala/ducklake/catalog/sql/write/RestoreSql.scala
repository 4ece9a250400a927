package ducklake.catalog.sql.write

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Identifier
import ducklake.catalog.sql.MetadataColumn
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that restore rows of metadata tables to their state at a past snapshot. */
final class RestoreSql(dialect: Dialect) {

  /** Inserts copies of the rows that were visible at the past snapshot. The copies begin at the new
    * snapshot.
    *
    * @param replaced columns that get new values
    */
  def again(
      rows: OwnedRows,
      past: SnapshotId,
      at: SnapshotId,
      replaced: Map[String, Long],
  ): Sql = {
    val old = Sql.identifier("old")
    val key = Sql.identifier(rows.key)
    val values = lifetime(at) ++ replaced.map { case (name, value) => name -> number(value) }
    sql"""${into(rows.table)}
         |SELECT ${Sql.list(rows.table.columns.map(chosen(_, old, values)))}
         |FROM ${dialect.table(rows.table.name)} AS $old
         |WHERE $old.$key = ${rows.owner} AND ${Visibility.at(past, "old")}
         |${withTheirColumns(rows, old, past)}"""
  }

  /** DuckDB does not remove the comment of a dropped column. The comment does not come back. */
  private def withTheirColumns(rows: OwnedRows, old: Identifier, past: SnapshotId): Sql =
    if (rows.table == MetadataSchema.ColumnTag)
      sql"""AND EXISTS (
           |  SELECT 1
           |  FROM ${dialect.table(MetadataSchema.Column)} AS entry
           |  WHERE entry.table_id = $old.table_id AND entry.column_id = $old.column_id
           |    AND ${Visibility.at(past, "entry")})"""
    else Sql.empty

  /** Gives a restored schema the lake options that it had under this or any earlier id: each
    * earlier restore gave it another id and kept its UUID.
    */
  def moveOptions(past: SchemaId, id: SchemaId): Sql = {
    val schemas = dialect.table(MetadataSchema.Schema)
    sql"""UPDATE ${dialect.table(MetadataSchema.Metadata)}
         |SET scope_id = ${number(id.value)}
         |WHERE scope = 'schema' AND scope_id IN (
         |  SELECT other.schema_id
         |  FROM $schemas AS named
         |  JOIN $schemas AS other ON other.schema_uuid = named.schema_uuid
         |  WHERE named.schema_id = $past)"""
  }

  /** Inserts the rows of copied data files: the rows of their sources under new ids and paths.
    *
    * @param table the metadata table of data files
    */
  def dataFiles(table: MetadataTable, copies: Vector[CopiedRow], at: SnapshotId): Vector[Sql] =
    grouped(copies) { copied =>
      val old = Sql.identifier("old")
      val fixed = lifetime(at) ++ Map(
        "data_file_id" -> sql"copied.id",
        "path" -> sql"copied.path",
        "path_is_relative" -> sql"${Bind.Flag(true)}",
      )
      sql"""${into(table)}
           |WITH $copied
           |SELECT ${Sql.list(table.columns.map(chosen(_, old, fixed)))}
           |FROM ${dialect.table(table.name)} AS $old
           |JOIN copied ON copied.source = $old.data_file_id"""
    }

  /** Inserts copies of the rows that describe the sources, for instance their statistics. */
  def described(table: MetadataTable, of: TableId, copies: Vector[CopiedRow]): Vector[Sql] =
    grouped(copies) { copied =>
      val old = Sql.identifier("old")
      val fixed = Map("data_file_id" -> sql"copied.id")
      sql"""${into(table)}
           |WITH $copied
           |SELECT ${Sql.list(table.columns.map(chosen(_, old, fixed)))}
           |FROM ${dialect.table(table.name)} AS $old
           |JOIN copied ON copied.source = $old.data_file_id
           |WHERE $old.table_id = $of"""
    }

  /** Columns: 1 when the lake has the snapshot, else 0. */
  def countSnapshots(id: SnapshotId): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.Snapshot)}
         |WHERE snapshot_id = $id"""

  /** Columns: number of these data files that can be copied: the table still has them, and they
    * embed no snapshot ids.
    */
  def countCopyable(table: TableId, files: Vector[DataFileId]): Sql =
    sql"""SELECT COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)}
         |WHERE table_id = $table AND partial_max IS NULL
         |  AND data_file_id IN (${Sql.list(files.map(id => id: SqlPart))})"""

  private def into(table: MetadataTable): Sql = {
    val names = Sql.list(table.columns.map(column => Sql.identifier(column.name)))
    sql"INSERT INTO ${dialect.table(table.name)} ($names)"
  }

  private def lifetime(at: SnapshotId): Map[String, Sql] = Map("begin_snapshot" -> number(at.value))

  private def chosen(column: MetadataColumn, from: Identifier, values: Map[String, Sql]): Sql =
    if (column.name == "end_snapshot") sql"CAST(NULL AS BIGINT)"
    else values.getOrElse(column.name, sql"$from.${Sql.identifier(column.name)}")

  private def number(value: Long): Sql = sql"CAST($value AS BIGINT)"

  /** One statement for some thousands of copies, with the copies as a common table expression. */
  private def grouped(copies: Vector[CopiedRow])(statement: Sql => Sql): Vector[Sql] =
    copies.grouped(RestoreSql.CopiesPerStatement).toVector.map { some =>
      val rows = some.map { copy =>
        sql"(${number(copy.source.value)}, ${number(copy.id)}, CAST(${copy.path} AS VARCHAR))"
      }
      statement(sql"copied (source, id, path) AS (VALUES ${Sql.list(rows)})")
    }
}

/** The rows of a metadata table that belong to one object.
  *
  * @param key the column with the id of the object
  */
final case class OwnedRows(table: MetadataTable, key: String, owner: Long)

/** The row of a data file that comes back under another id and path.
  *
  * @param path relative to the table's directory
  */
final case class CopiedRow(source: DataFileId, id: Long, path: String)

private object RestoreSql {

  /** Three bound values each, within the limits of all databases. */
  private val CopiesPerStatement = 5000
}
