package ducklake.catalog.jdbc.address

import java.nio.file.Path

/** The address of a catalog database. Paths are absolute.
  *
  * @param properties JDBC properties from the address, except host, port and database
  */
sealed trait CatalogUri {

  /** The address for messages. It never contains a secret. */
  def display: String

  /** DuckDB's name for the kind of database: `sqlite`, `postgres` or `duckdb`. */
  def kind: String

  /** The folder of a database file on this machine. */
  def folder: Option[Path] = None
}

object CatalogUri {

  private def folderOf(path: String): Option[Path] =
    Option(Path.of(path).toAbsolutePath.normalize.getParent)

  final case class Sqlite(path: String) extends CatalogUri {
    def kind: String = "sqlite"
    def display: String = s"sqlite:$path"
    override def folder: Option[Path] = CatalogUri.folderOf(path)
  }

  final case class DuckDb(path: String) extends CatalogUri {
    def kind: String = "duckdb"
    def display: String = s"duckdb:$path"
    override def folder: Option[Path] = CatalogUri.folderOf(path)
  }

  /** A database file that an HTTP server publishes; it is only read.
    *
    * @param kind `sqlite` or `duckdb`
    */
  final case class Web(kind: String, url: String) extends CatalogUri {
    def display: String = s"$kind:$url"
  }

  /** @param properties connection properties, including the password where it is known
    */
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
