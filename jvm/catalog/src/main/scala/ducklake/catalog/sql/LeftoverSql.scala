package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** Statements on metadata rows whose owner is gone from the catalog, so that no snapshot sees them.
  * DuckDB's expiry leaves them (decision 0032).
  */
final class LeftoverSql(dialect: Dialect) {

  /** Columns: id, begin, end; for a page of the delete files whose data file is gone, ordered by id.
    */
  def deleteFiles(after: Long, limit: Int): Sql = {
    val key = Sql.identifier(FileKind.Delete.key)
    sql"""SELECT $key, begin_snapshot, end_snapshot
         |FROM ${dialect.table(MetadataSchema.DeleteFile.name)} AS deletes
         |WHERE $key > $after AND ${hasNoFile(sql"deletes.data_file_id")}
         |ORDER BY $key
         |LIMIT ${limit.toLong}"""
  }

  /** Columns: a name; for the tables that have inlined deletes from data files that are gone.
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

  /** Removes the inlined deletes from data files that are gone. */
  def removeInlinedDeletes(name: String): Sql =
    sql"""DELETE FROM ${dialect.table(name)} AS deletes
         |WHERE ${hasNoFile(sql"deletes.file_id")}"""

  private def together(one: Sql, other: Sql): Sql = sql"$one UNION ALL $other"

  private def hasNoFile(id: Sql): Sql =
    sql"""NOT EXISTS (
         |  SELECT 1
         |  FROM ${dialect.table(MetadataSchema.DataFile.name)} AS data
         |  WHERE data.data_file_id = $id)"""
}
