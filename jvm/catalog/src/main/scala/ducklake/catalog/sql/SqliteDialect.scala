package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.LakeType

/** SQLite: one schema, loose types, values come as they were stored. */
object SqliteDialect extends Dialect {
  def databaseName: String = "SQLite"

  def table(name: String): Sql = sql"${Sql.identifier(name)}"

  def countTables(name: String): Sql =
    sql"""SELECT COUNT(*)
         |FROM sqlite_master
         |WHERE type = 'table' AND name = $name"""

  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection =
    InlinedSelection.Plain(sql"$name")
}
