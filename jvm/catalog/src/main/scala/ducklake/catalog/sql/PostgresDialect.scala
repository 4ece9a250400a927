package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.LakeType

/** PostgreSQL.
  *
  * @param schema holds the metadata tables
  */
final case class PostgresDialect(schema: String) extends Dialect {
  def databaseName: String = "PostgreSQL"

  def table(name: String): Sql = sql"${Sql.identifier(schema)}.${Sql.identifier(name)}"

  def countTables(name: String): Sql =
    sql"""SELECT COUNT(*)
         |FROM pg_catalog.pg_tables
         |WHERE schemaname = $schema AND tablename = $name"""

  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection =
    InlinedSelection.Plain(selected(name, lakeType))

  private def selected(name: Identifier, lakeType: LakeType): Sql = lakeType match {
    case LakeType.Bool | LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 |
        LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.Float32 | LakeType.Float64 |
        LakeType.Varchar | LakeType.Json | LakeType.Blob =>
      sql"$name"
    case _ => sql"CAST($name AS text)"
  }
}
