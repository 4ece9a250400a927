package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.BaseTables
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.web.WebLimits
import ducklake.catalog.sql.DuckDbDialect
import ducklake.catalog.sql.PostgresDialect
import ducklake.catalog.sql.SqliteDialect

/** Creates the database object for an address. No connection is opened before the first call. */
object Databases {

  /** @param metadataSchema the database schema with the metadata tables; None: the default schema
    *   of the database
    *
    * Errors: InvalidSetting for a schema in SQLite, which has no schemas.
    */
  def open(
      uri: CatalogUri,
      metadataSchema: Option[String],
      busyTimeoutMillis: Int,
      pool: PoolSettings,
      properties: Map[String, String],
      web: WebLimits = WebLimits.default,
  ): Database = {
    def sqliteDialect = metadataSchema.filterNot(_ == "main").fold(SqliteDialect) { schema =>
      throw new LakeException(noSchemas(schema))
    }
    val dialect = uri match {
      case CatalogUri.Sqlite(_) | CatalogUri.Web("sqlite", _) => sqliteDialect
      case CatalogUri.DuckDb(_) | CatalogUri.Web(_, _) =>
        DuckDbDialect(metadataSchema.getOrElse("main"))
      case _: CatalogUri.Postgres => PostgresDialect(metadataSchema.getOrElse("public"))
    }
    val tables = new BaseTables(uri.display, dialect.otherThanTables)
    def sqlite(path: String) = new SqlitePolicy(path, busyTimeoutMillis, properties, tables)
    def duckDb(path: String) = new DuckDbPolicy(path, busyTimeoutMillis, properties, tables)
    val policy = uri match {
      case CatalogUri.Sqlite(path) => sqlite(path)
      case CatalogUri.DuckDb(path) => duckDb(path)
      case published @ CatalogUri.Web("sqlite", _) => new WebPolicy(published, sqlite, web)
      case published: CatalogUri.Web => new WebPolicy(published, duckDb, web)
      case postgres: CatalogUri.Postgres =>
        new PostgresPolicy(postgres, busyTimeoutMillis, pool, properties, tables)
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
