package ducklake.catalog.jdbc

/** Which database holds the catalog, and where. Paths are absolute.
  *
  * @param properties JDBC properties from the address (host, port, … are in the JDBC address)
  */
sealed trait CatalogUri {

  /** For messages; never holds a secret. */
  def display: String

  /** DuckDB's name for the kind of database: `sqlite`, `postgres` or `duckdb`. */
  def kind: String
}

object CatalogUri {
  final case class Sqlite(path: String) extends CatalogUri {
    def kind: String = "sqlite"
    def display: String = s"sqlite:$path"
  }

  final case class DuckDb(path: String) extends CatalogUri {
    def kind: String = "duckdb"
    def display: String = s"duckdb:$path"
  }

  /** @param properties connection properties, the password among them where one is known */
  final case class Postgres(
      host: String,
      port: Int,
      database: String,
      properties: Map[String, String],
  ) extends CatalogUri {
    def kind: String = "postgres"
    def display: String = s"postgres:$database at $host:$port"

    override def toString: String = s"Postgres($display)"
  }
}
