package ducklake.catalog.jdbc.address

import ducklake.catalog.error.LakeError

import java.nio.file.InvalidPathException
import java.nio.file.Path
import java.util.Locale

/** Parses the address of a catalog database, in the spelling of DuckDB's ATTACH or as a JDBC
  * address.
  *
  * Source: jvm/docs/configuration.md, "Addresses".
  */
object CatalogUriParser {

  /** @param environment the process's variables: HOME, PGUSER, PGPASSWORD, PGPASSFILE */
  def parse(
      text: String,
      credentials: Credentials,
      environment: Map[String, String],
  ): Either[LakeError.InvalidUri, CatalogUri] = {
    val reader = new PostgresAddress(credentials, environment)
    def local(kind: String, path: String, make: String => CatalogUri): Answer =
      credentials.stated.fold(file(kind, path, environment, make))(key => Left(noLogin(kind, key)))
    val result = text.trim match {
      case s"ducklake:sqlite:$path" => local("SQLite", path, CatalogUri.Sqlite(_))
      case s"ducklake:duckdb:$path" => local("DuckDB", path, CatalogUri.DuckDb(_))
      case s"ducklake:postgres:$rest" => reader.attach(rest)
      case s"ducklake:postgresql:$rest" => reader.attach(rest)
      case s"ducklake:mysql:${_}" => Left(noMySql)
      case s"ducklake:$path" if isOtherKind(path) => Left(unknownKind)
      case s"ducklake:$path" => local("DuckDB", path, CatalogUri.DuckDb(_))
      case s"jdbc:sqlite:$path" => local("SQLite", path, CatalogUri.Sqlite(_))
      case s"jdbc:duckdb:$path" => local("DuckDB", path, CatalogUri.DuckDb(_))
      case s"jdbc:postgresql:$rest" => reader.jdbc(rest)
      case s"jdbc:mysql:${_}" => Left(noMySql)
      case _ => Left(unknownKind)
    }
    result.left.map { refusal =>
      val shown = Redaction.of(text, refusal.why)
      LakeError.InvalidUri(shown.address, shown.why, refusal.hint)
    }
  }

  private val forms =
    "Give `ducklake:sqlite:<path>`, `ducklake:postgres:<connection>`, `ducklake:<path>` for a " +
      "DuckDB file, or a JDBC address of one of these."

  private val unknownKind = UriRefusal("names no kind of catalog database", forms)

  /** Whether the path begins with the name of another kind of database: a word and a colon, as in
    * DuckDB. One letter and a colon are a drive.
    */
  private def isOtherKind(path: String): Boolean =
    path.matches("[A-Za-z][A-Za-z0-9_+-]+:(?!//).*") && !path.startsWith("file:")

  private val noMySql = UriRefusal(
    "names a MySQL database, which is not supported yet",
    "Use SQLite, PostgreSQL or a DuckDB file.",
  )

  private type Answer = Either[UriRefusal, CatalogUri]

  private def noLogin(kind: String, key: String): UriRefusal =
    UriRefusal(s"names a $kind file, which has no users, but `$key` is set", s"Leave `$key` out.")

  private def file(
      kind: String,
      address: String,
      environment: Map[String, String],
      make: String => CatalogUri,
  ): Answer = {
    val path = withoutScheme(address)
    if (path.isEmpty || path.startsWith(":memory:"))
      Left(UriRefusal(s"names a $kind database in memory", "Give the path of a file."))
    else if (path.matches("(?i)https?://.*")) web(kind, path)
    else if (path.contains("://"))
      Left(UriRefusal(s"names a $kind file that is not local", "Give the path of a local file."))
    else if (path.contains("?"))
      Left(UriRefusal("has a `?`", "Give driver properties by the keys `jdbc.<property>`."))
    else absolute(path, environment).map(make)
  }

  /** The address is shown in messages, so it must not contain a secret. */
  private def web(kind: String, address: String): Either[UriRefusal, CatalogUri] =
    if (address.contains("?") || address.drop("https://".length).takeWhile(_ != '/').contains("@"))
      Left(
        UriRefusal(
          "has a user or a `?`",
          "Give the address of a file that everybody may read, without both.",
        )
      )
    else Right(CatalogUri.Web(kind.toLowerCase(Locale.ROOT), address))

  private def withoutScheme(path: String): String =
    if (path.startsWith("file://")) path.drop("file://".length) else path.stripPrefix("file:")

  private def absolute(
      path: String,
      environment: Map[String, String],
  ): Either[UriRefusal, String] = {
    val expanded = environment.get("HOME") match {
      case Some(home) if path.startsWith("~/") => home + path.drop(1)
      case _ => path
    }
    try Right(Path.of(expanded).toAbsolutePath.normalize.toString)
    catch {
      case invalid: InvalidPathException =>
        val why = s"is no path that this process can use (${invalid.getReason})"
        val hint = "Correct it. In the locale `C` or `POSIX` a process uses ASCII paths alone."
        Left(UriRefusal(why, hint))
    }
  }
}

/** Why an address is refused, and what to write instead. */
private[address] final case class UriRefusal(why: String, hint: String)
