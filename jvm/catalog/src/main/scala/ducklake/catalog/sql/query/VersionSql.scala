package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator

/** Queries for the form of a catalog. */
final class VersionSql(dialect: Dialect) {

  /** Columns: table, column; as in [[Dialect.columnNames]]. */
  def columns(tables: Vector[String]): Sql = dialect.columnNames(tables)

  /** Columns: name, table id; for all inlined tables. */
  def inlinedTables: Sql =
    sql"""SELECT inlined.table_name, inlined.table_id
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)} AS inlined
         |ORDER BY inlined.table_id, inlined.schema_version"""
}
