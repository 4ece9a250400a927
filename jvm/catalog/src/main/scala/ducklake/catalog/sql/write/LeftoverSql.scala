package ducklake.catalog.sql.write

import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.TableId

/** Statements on metadata rows whose owner is no longer in the catalog, so that no snapshot sees
  * them. DuckDB's expiry leaves them (decision 13).
  */
final class LeftoverSql(dialect: Dialect) {

  /** Columns: id, begin, end; for a page of the delete files whose data file is gone, ordered by
    * id.
    */
  def deleteFiles(after: Long, limit: Int): Sql = {
    val key = Sql.identifier(FileKind.Delete.key)
    sql"""SELECT $key, begin_snapshot, end_snapshot
         |FROM ${dialect.table(MetadataSchema.DeleteFile)} AS deletes
         |WHERE $key > $after AND ${hasNoFile(sql"deletes.data_file_id")}
         |ORDER BY $key
         |LIMIT ${limit.toLong}"""
  }

  /** Columns: a name; for the tables that have inlined deletes from data files that no longer
    * exist.
    *
    * @param names tables with inlined deletes; at most 500, for SQLite
    */
  def withInlinedDeletes(names: Vector[String]): Option[Sql] =
    names
      .map { name =>
        sql"""SELECT CAST($name AS VARCHAR)
             |WHERE EXISTS (
             |  SELECT 1
             |  FROM ${dialect.table(name)} AS deletes
             |  WHERE ${hasNoFile(sql"deletes.file_id")})"""
      }
      .reduceOption(together)

  /** Removes the inlined deletes from data files that no longer exist. */
  def removeInlinedDeletes(name: String): Sql =
    sql"""DELETE FROM ${dialect.table(name)} AS deletes
         |WHERE ${hasNoFile(sql"deletes.file_id")}"""

  /** Removes tags of objects that no longer exist. DuckDB drops a schema without ending its tags.
    */
  def removeTags: Sql =
    sql"""DELETE FROM ${dialect.table(MetadataSchema.Tag)}
         |WHERE object_id NOT IN (${LeftoverSql.tagged.map(ids).reduce(together)})"""

  /** Removes lake options of tables and schemas that no longer exist. */
  def removeOptions: Vector[Sql] =
    Vector(
      removeOptions("table", MetadataSchema.Table -> "table_id"),
      removeOptions("schema", MetadataSchema.Schema -> "schema_id"),
    )

  /** Columns: key, id of the table, value; of the options of tables whose keys have this prefix. */
  def tableOptions(prefix: String): Sql =
    sql"""SELECT "key", scope_id, "value"
         |FROM ${dialect.table(MetadataSchema.Metadata)}
         |WHERE "key" LIKE ${s"$prefix%"} AND scope = 'table'"""

  /** Removes an option of a table, unless it has another value now. */
  def removeTableOption(key: String, table: TableId, value: String): Sql =
    sql"""DELETE FROM ${dialect.table(MetadataSchema.Metadata)}
         |WHERE "key" = $key AND scope = 'table' AND scope_id = $table AND "value" = $value"""

  private def removeOptions(scope: String, owner: (MetadataTable, String)): Sql =
    sql"""DELETE FROM ${dialect.table(MetadataSchema.Metadata)}
         |WHERE scope = $scope AND scope_id NOT IN (${ids(owner)})"""

  private def together(one: Sql, other: Sql): Sql = sql"$one UNION ALL $other"

  private def ids(owner: (MetadataTable, String)): Sql =
    sql"SELECT ${Sql.identifier(owner._2)} FROM ${dialect.table(owner._1.name)}"

  private def hasNoFile(id: Sql): Sql =
    sql"""NOT EXISTS (
         |  SELECT 1
         |  FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |  WHERE data.data_file_id = $id)"""
}

private object LeftoverSql {

  /** The objects that have tags, with the columns of their ids. */
  val tagged: Vector[(MetadataTable, String)] = Vector(
    MetadataSchema.Schema -> "schema_id",
    MetadataSchema.Table -> "table_id",
    MetadataSchema.View -> "view_id",
    MetadataSchema.Macro -> "macro_id",
  )
}
