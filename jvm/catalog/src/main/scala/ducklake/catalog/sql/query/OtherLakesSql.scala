package ducklake.catalog.sql.query

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator

/** Queries for lakes whose metadata tables are in other schemas of the same database. */
final class OtherLakesSql(dialect: Dialect) {

  /** Columns: schema. None for databases with one schema. */
  def schemas: Option[Sql] = dialect.otherSchemas(Metadata)

  /** Columns: the stored data path. */
  def dataPath(schema: String): Sql =
    sql"""SELECT "value"
         |FROM ${dialect.tableOf(schema, Metadata)}
         |WHERE "key" = 'data_path' AND "value" IS NOT NULL"""

  private def Metadata: String = MetadataSchema.Metadata.name
}
