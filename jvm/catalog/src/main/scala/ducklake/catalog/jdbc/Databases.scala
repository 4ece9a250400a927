package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.DuckDbDialect
import ducklake.catalog.sql.PostgresDialect
import ducklake.catalog.sql.SqliteDialect

/** Creates the database object for an address. No connection is opened before the first call. */
object Databases {

  /** @param metadataSchema the database schema with the metadata tables; None: the default schema
    *   of the database
    *
    * Errors: InvalidSetting for a schema in SQLite, which has none.
    */
  def open(
      uri: CatalogUri,
      metadataSchema: Option[String],
      busyTimeoutMillis: Int,
      pool: PoolSettings,
      properties: Map[String, String],
  ): Database = {
    def sqliteDialect = metadataSchema.filterNot(_ == "main").fold(SqliteDialect) { schema =>
      throw new LakeException(noSchemas(schema))
    }
    def sqlite(path: String) = new SqlitePolicy(path, busyTimeoutMillis, properties)
    def duckDb(path: String) = new DuckDbPolicy(path, busyTimeoutMillis, properties)
    def duckDbDialect = DuckDbDialect(metadataSchema.getOrElse("main"))
    val (dialect, policy) = uri match {
      case CatalogUri.Sqlite(path) => (sqliteDialect, sqlite(path))
      case CatalogUri.DuckDb(path) => (duckDbDialect, duckDb(path))
      case web @ CatalogUri.Web("sqlite", _) => (sqliteDialect, new WebPolicy(web, sqlite))
      case web: CatalogUri.Web => (duckDbDialect, new WebPolicy(web, duckDb))
      case postgres: CatalogUri.Postgres =>
        val schema = metadataSchema.getOrElse("public")
        (
          PostgresDialect(schema),
          new PostgresPolicy(postgres, busyTimeoutMillis, pool, properties),
        )
    }
    new Database(uri.display, dialect, busyTimeoutMillis, policy)
  }

  private def noSchemas(schema: String): LakeError =
    LakeError.InvalidSetting(
      "metadata-schema",
      s"is `$schema`, but a SQLite file has no schemas",
      "Leave it out, and give each lake a file of its own.",
    )
}
