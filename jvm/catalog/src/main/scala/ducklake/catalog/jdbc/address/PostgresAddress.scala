package ducklake.catalog.jdbc.address

import java.net.URLDecoder
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.Path

/** Parses PostgreSQL addresses: libpq's keywords, libpq's `postgresql://` form, and JDBC addresses.
  *
  * Source: jvm/docs/configuration.md, "Addresses"; PostgreSQL 16, "Connection Strings".
  */
private[address] final class PostgresAddress(
    credentials: Credentials,
    environment: Map[String, String],
) {
  import PostgresAddress.{driverNames, keywords, Answer}

  /** Parses the text after `ducklake:postgres:`. In `ducklake:postgres://…` this word is the scheme
    * of the address too.
    */
  def attach(text: String): Answer[CatalogUri] =
    for {
      pairs <-
        if (text.matches("(?s)(postgres(ql)?:)?//.*")) url(text.dropWhile(_ != '/'))
        else Conninfo.parse(text).map(_.toMap).left.map(UriRefusal(_, "Write `keyword=value`."))
      _ <- check(pairs.keys.find(key => !keywords(key)).map(unknown))
      uri <- assemble(
        pairs,
        pairs.collect {
          case (key, value) if driverNames.contains(key) =>
            driverNames(key) -> value
        },
      )
    } yield uri

  /** Parses the text after `jdbc:postgresql:`. Keys that libpq does not have are passed to the
    * driver.
    */
  def jdbc(text: String): Answer[CatalogUri] =
    for {
      pairs <- url(if (text.startsWith("//")) text else s"///$text")
      uri <- assemble(pairs, pairs -- keywords.diff(Set("options", "sslmode", "sslrootcert")))
    } yield uri

  /** Parses `//user@host:port/database?key=value` into libpq's keywords. */
  private def url(text: String): Answer[Map[String, String]] = text match {
    case _ if text.matches("(?s)//[^@?]*:[^?]*@.*") =>
      Left(
        UriRefusal(
          "has a password before the host",
          "Leave it out and set `password-file` (or PGPASSWORD, PGPASSFILE) instead.",
        )
      )
    case _ if text.matches("(?s).*%(?![0-9A-Fa-f]{2}).*") =>
      Left(UriRefusal("has a percent sign that begins no escape", "Write `%25` for it."))
    case PostgresAddress.Url(user, host, port, database, query) =>
      val named = Vector("user" -> user, "host" -> host, "port" -> port, "dbname" -> database)
      val parts = named.collect { case (key, Filled(value)) => key -> decode(value) }
      Right(parts.toMap ++ queryPairs(query))
    case _ =>
      Left(UriRefusal("is no PostgreSQL address", "Write `postgresql://user@host:port/name`."))
  }

  private object Filled {
    def unapply(text: String): Option[String] = Option(text).filter(_.nonEmpty)
  }

  private def queryPairs(query: String): Map[String, String] =
    Option(query).fold(Map.empty[String, String]) { pairs =>
      pairs
        .split('&')
        .iterator
        .filter(_.nonEmpty)
        .map { pair =>
          val (key, value) = pair.span(_ != '=')
          decode(key) -> decode(value.drop(1))
        }
        .toMap
    }

  private def decode(text: String): String =
    URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8)

  private def assemble(
      keys: Map[String, String],
      properties: Map[String, String],
  ): Answer[CatalogUri] = {
    val user = credentials.user
      .orElse(keys.get("user"))
      .orElse(environment.get("PGUSER"))
      .getOrElse(System.getProperty("user.name"))
    val server = PostgresServer.of(keys)
    for {
      _ <- check(Option.when(server.isSocket)(socket))
      _ <- check(Option.when(server.isSeveral)(severalHosts))
      port <- keys
        .getOrElse("port", "5432")
        .toIntOption
        .filter(port => port > 0 && port < 65536)
        .toRight(UriRefusal("has a port that is no number from 1 to 65535", "Correct the port."))
      database = keys.get("dbname").filter(_.nonEmpty).getOrElse(user)
      password <- password(keys, PasswordFile.Target(server.name, port, database, user))
    } yield {
      val login = Map("user" -> user) ++ password.map("password" -> _)
      CatalogUri.Postgres(server.name, port, database, server.properties ++ properties ++ login)
    }
  }

  private def check(refusal: Option[UriRefusal]): Answer[Unit] = refusal.toLeft(())

  private def unknown(key: String): UriRefusal =
    UriRefusal(
      s"has the unknown keyword `$key`",
      s"Known are ${keywords.toVector.sorted.mkString(", ")}; give others by `jdbc.<property>`.",
    )

  private def socket: UriRefusal = UriRefusal(
    "names a socket folder as host, which Java's driver cannot open",
    "Give a host name; the server must listen on TCP.",
  )

  private def severalHosts: UriRefusal = UriRefusal("names several hosts", "Give one host.")

  /** The password: given directly, else from a named file, else from the environment. */
  private def password(
      keys: Map[String, String],
      target: PasswordFile.Target,
  ): Answer[Option[String]] = {
    val outright = credentials.password.orElse(credentials.stored()).orElse(keys.get("password"))
    val named = credentials.passwordFile.orElse(keys.get("passfile"))
    (outright, named, environment.get("PGPASSWORD")) match {
      case (Some(password), _, _) => Right(Some(password))
      case (_, Some(file), _) => fromFile(file, target)
      case (_, _, Some(password)) => Right(Some(password))
      case _ => fallbackFile.fold[Answer[Option[String]]](Right(None))(fromFile(_, target))
    }
  }

  /** The password file that the environment names, else `~/.pgpass` where it exists. */
  private def fallbackFile: Option[String] = {
    val own =
      environment.get("HOME").map(_ + "/.pgpass").filter(file => Files.isReadable(Path.of(file)))
    environment.get("PGPASSFILE").orElse(own)
  }

  private def fromFile(file: String, target: PasswordFile.Target): Answer[Option[String]] =
    PasswordFile.read(file, target).left.map { why =>
      UriRefusal(
        s"needs the password file $file, which $why",
        "Correct its path or its permissions.",
      )
    }
}

private object PostgresAddress {
  type Answer[A] = Either[UriRefusal, A]

  private val Url =
    """//(?:([^@/?]*)@)?(\[[^\]]*\]|[^:/?]*)(?::([^/?]*))?(?:/([^?]*))?(?:\?(.*))?""".r

  /** libpq's keywords that are passed to the driver, with the names of the driver's properties. */
  private val driverNames = Map(
    "sslmode" -> "sslmode",
    "sslrootcert" -> "sslrootcert",
    "connect_timeout" -> "connectTimeout",
    "application_name" -> "ApplicationName",
    "options" -> "options",
  )

  private val keywords =
    driverNames.keySet ++
      Set("dbname", "host", "hostaddr", "port", "user", "password", "passfile")
}

/** @param name of the host, for the certificate, the password file and messages
  * @param address the address to connect to; the name is then not looked up
  */
private final case class PostgresServer(name: String, address: Option[String]) {

  def isSocket: Boolean = PostgresServer.isFolder(name)

  def isSeveral: Boolean = (name +: address.toVector).exists(_.contains(","))

  def properties: Map[String, String] =
    address.fold(Map.empty[String, String])(AddressedSockets.properties)
}

private object PostgresServer {

  /** Like libpq: `hostaddr` is the address to connect to, and also the name when `host` names no
    * other host.
    */
  def of(keys: Map[String, String]): PostgresServer = {
    def stated(key: String) = keys.get(key).filter(_.nonEmpty)
    val address = stated("hostaddr")
    val host = stated("host").filterNot(name => address.nonEmpty && isFolder(name))
    val name = host.orElse(address).getOrElse("localhost")
    PostgresServer(name, address.filter(_ != name))
  }

  private def isFolder(host: String): Boolean = host.startsWith("/") || host.startsWith("@")
}
