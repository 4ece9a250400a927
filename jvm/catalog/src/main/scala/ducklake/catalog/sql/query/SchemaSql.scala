package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on schemas and their tables, views and macros at a snapshot. */
final class SchemaSql(dialect: Dialect, version: FormatVersion) {

  /** Columns: id, uuid, name, path, whether the path is relative, id of the schema around it. */
  def schemas(at: SnapshotId): Sql =
    sql"""SELECT entry.schema_id, entry.schema_uuid, entry.schema_name, $path,
         |  ${if (version.hasNestedSchemas) sql"entry.parent_schema_id" else sql"NULL"}
         |FROM ${dialect.table(MetadataSchema.Schema)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |ORDER BY entry.schema_id"""

  /** Columns: object id, key, value; for schemas, tables and views. */
  def tags(objects: Iterable[Long], at: SnapshotId): Sql =
    sql"""SELECT tag.object_id, tag."key", tag."value"
         |FROM ${dialect.table(MetadataSchema.Tag)} AS tag
         |WHERE ${Visibility.at(at, "tag")} AND tag.object_id IN (${numbers(objects)})"""

  /** Columns: name, whether it is a view (0 or 1). */
  def relations(schema: SchemaId, at: SnapshotId): Sql =
    sql"""SELECT entry.table_name, 0
         |FROM ${dialect.table(MetadataSchema.Table)} AS entry
         |WHERE ${Visibility.at(at, "entry")} AND entry.schema_id = $schema
         |UNION ALL
         |SELECT entry.view_name, 1
         |FROM ${dialect.table(MetadataSchema.View)} AS entry
         |WHERE ${Visibility.at(at, "entry")} AND entry.schema_id = $schema"""

  /** Columns: id, uuid, name, path, whether the path is relative. */
  def table(schema: SchemaId, name: String, at: SnapshotId): Sql =
    sql"""SELECT entry.table_id, entry.table_uuid, entry.table_name, $path
         |FROM ${dialect.table(MetadataSchema.Table)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |  AND entry.schema_id = $schema AND entry.table_name = $name"""

  /** Columns: schema id, table name. */
  def tableName(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT entry.schema_id, entry.table_name
         |FROM ${dialect.table(MetadataSchema.Table)} AS entry
         |WHERE ${Visibility.at(at, "entry")} AND entry.table_id = $table"""

  /** Columns: id, order, begin, name, type, initial default, default, nulls allowed, parent,
    * default type, default dialect.
    */
  def columns(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT $columnList
         |FROM ${dialect.table(MetadataSchema.Column)} AS entry
         |WHERE ${Visibility.at(at, "entry")} AND entry.table_id = $table"""

  /** Like [[columns]] for all snapshots, with the end as last column. */
  def columnHistory(table: TableId): Sql =
    sql"""SELECT $columnList, entry.end_snapshot
         |FROM ${dialect.table(MetadataSchema.Column)} AS entry
         |WHERE entry.table_id = $table"""

  /** Columns: the largest column id that the table ever had. */
  def lastColumnId(table: TableId): Sql =
    sql"""SELECT MAX(column_id)
         |FROM ${dialect.table(MetadataSchema.Column)}
         |WHERE table_id = $table"""

  /** Columns: column id, comment. */
  def columnComments(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT tag.column_id, tag."value"
         |FROM ${dialect.table(MetadataSchema.ColumnTag)} AS tag
         |WHERE ${Visibility.at(at, "tag")} AND tag.table_id = $table AND tag."key" = 'comment'"""

  /** Columns: partition spec id, key index, column id, transform, number of changes of the column
    * since the spec first began: a rollback lets it begin again. A spec without keys has one row
    * with NULL keys.
    */
  def partition(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT info.partition_id, part.partition_key_index, part.column_id, part.transform,
         |  (SELECT COUNT(*)
         |   FROM ${dialect.table(MetadataSchema.Column)} AS entry
         |   WHERE entry.table_id = info.table_id AND entry.column_id = part.column_id
         |     AND ${Visibility.at(at, "entry")}
         |     AND entry.begin_snapshot > (
         |       SELECT MIN(begun.begin_snapshot)
         |       FROM ${dialect.table(MetadataSchema.PartitionInfo)} AS begun
         |       WHERE begun.table_id = info.table_id AND begun.partition_id = info.partition_id))
         |FROM ${dialect.table(MetadataSchema.PartitionInfo)} AS info
         |LEFT JOIN ${dialect.table(MetadataSchema.PartitionColumn)} AS part
         |  ON part.partition_id = info.partition_id AND part.table_id = info.table_id
         |WHERE ${Visibility.at(at, "info")} AND info.table_id = $table
         |ORDER BY part.partition_key_index"""

  /** Columns: sort id, expression, dialect, direction, null order. */
  def sort(table: TableId, at: SnapshotId): Sql =
    sql"""SELECT info.sort_id, part.expression, part.dialect, part.sort_direction, part.null_order
         |FROM ${dialect.table(MetadataSchema.SortInfo)} AS info
         |JOIN ${dialect.table(MetadataSchema.SortExpression)} AS part
         |  ON part.sort_id = info.sort_id AND part.table_id = info.table_id
         |WHERE ${Visibility.at(at, "info")} AND info.table_id = $table
         |ORDER BY part.sort_key_index"""

  /** Columns: schema id, id, uuid, name, dialect, text, column aliases. */
  def views(at: SnapshotId): Sql =
    sql"""SELECT entry.schema_id, entry.view_id, entry.view_uuid, entry.view_name, entry.dialect,
         |  entry."sql", entry.column_aliases
         |FROM ${dialect.table(MetadataSchema.View)} AS entry
         |WHERE ${Visibility.at(at, "entry")}
         |ORDER BY entry.schema_id, entry.view_name"""

  /** Columns: view id, name of the column, comment; for versions with such comments. */
  def viewColumnComments(at: SnapshotId): Sql =
    sql"""SELECT tag.view_id, tag.column_name, tag."value"
         |FROM ${dialect.table(MetadataSchema.ViewColumnTag)} AS tag
         |WHERE ${Visibility.at(at, "tag")} AND tag."key" = 'comment'"""

  /** Columns: schema id, macro id, name, implementation id, dialect, text, kind. */
  def macros(at: SnapshotId): Sql =
    sql"""SELECT entry.schema_id, entry.macro_id, entry.macro_name, impl.impl_id, impl.dialect,
         |  impl."sql", impl."type"
         |FROM ${dialect.table(MetadataSchema.Macro)} AS entry
         |JOIN ${dialect.table(MetadataSchema.MacroImpl)} AS impl
         |  ON impl.macro_id = entry.macro_id
         |WHERE ${Visibility.at(at, "entry")}
         |ORDER BY entry.schema_id, entry.macro_name, impl.impl_id"""

  /** Columns: macro id, implementation id, name, type, default, type of the default; ordered by
    * position.
    */
  def macroParameters: Sql =
    sql"""SELECT macro_id, impl_id, parameter_name, parameter_type, default_value, default_value_type
         |FROM ${dialect.table(MetadataSchema.MacroParameters)}
         |ORDER BY macro_id, impl_id, column_id"""

  private def numbers(values: Iterable[Long]): Sql = Sql.list(values.map(value => value: SqlPart))

  private def path: Sql =
    if (version.hasPaths) sql"entry.path, entry.path_is_relative" else sql"NULL, NULL"

  private def columnList: Sql = {
    val defaults =
      if (version.hasDefaultTypes) sql"entry.default_value_type, entry.default_value_dialect"
      else sql"'literal', NULL"
    sql"""entry.column_id, entry.column_order, entry.begin_snapshot, entry.column_name,
         |  entry.column_type, entry.initial_default, entry.default_value, entry.nulls_allowed,
         |  entry.parent_column, $defaults"""
  }
}
