package ducklake.catalog.jdbc.address

import ducklake.catalog.error.LakeError
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

class CatalogUriParserSpec extends AnyFunSuite {

  private val noEnvironment = Map.empty[String, String]

  private def parse(
      text: String,
      credentials: Credentials = Credentials.none,
      environment: Map[String, String] = noEnvironment,
  ): Either[LakeError.InvalidUri, CatalogUri] =
    CatalogUriParser.parse(text, credentials, environment)

  private def refused(text: String): LakeError.InvalidUri =
    parse(text).left.getOrElse(fail(s"$text was taken"))

  private def postgres(
      text: String,
      credentials: Credentials = Credentials(Some("me"), None, None),
      environment: Map[String, String] = noEnvironment,
  ): CatalogUri.Postgres = parse(text, credentials, environment) match {
    case Right(uri: CatalogUri.Postgres) => uri
    case other => fail(s"$text gives $other")
  }

  private val here = Path.of("").toAbsolutePath.toString

  test("files are named by kind, relative ones from the working directory") {
    assert(parse("ducklake:sqlite:/data/a.sqlite") == Right(CatalogUri.Sqlite("/data/a.sqlite")))
    assert(parse("ducklake:sqlite:a b.db") == Right(CatalogUri.Sqlite(s"$here/a b.db")))
    assert(parse("ducklake:/data/m.ducklake") == Right(CatalogUri.DuckDb("/data/m.ducklake")))
    assert(parse("ducklake:duckdb:x/../m.db") == Right(CatalogUri.DuckDb(s"$here/m.db")))
    assert(parse("ducklake:file:///m.db") == Right(CatalogUri.DuckDb("/m.db")))
    assert(parse("jdbc:sqlite:/a.db") == Right(CatalogUri.Sqlite("/a.db")))
    assert(parse("jdbc:duckdb:/a.db") == Right(CatalogUri.DuckDb("/a.db")))
    val home = parse("ducklake:~/m.db", environment = Map("HOME" -> "/home/u"))
    assert(home == Right(CatalogUri.DuckDb("/home/u/m.db")))
  }

  test("files that a web server publishes are named by kind") {
    val url = "https://example.org/a/m.ducklake"

    assert(parse(s"ducklake:$url") == Right(CatalogUri.Web("duckdb", url)))
    assert(parse(s"ducklake:sqlite:$url") == Right(CatalogUri.Web("sqlite", url)))
    assert(parse(s"ducklake:$url").map(_.display) == Right(s"duckdb:$url"))
    Seq(s"ducklake:$url?sig=secret", "ducklake:https://me:secret@example.org/m.ducklake").foreach {
      text =>
        val error = refused(text)
        assert(error.why == "has a user or a `?`")
    }
  }

  test("libpq keywords are read with their quotes and escapes") {
    val uri = postgres(
      """ducklake:postgres:dbname='my db' host=db.example port = 5433 user=o\'hara """ +
        """password='it\'s \\ fine' sslmode=require connect_timeout=3 application_name=x""",
      Credentials.none,
    )

    assert(uri.host == "db.example")
    assert(uri.port == 5433)
    assert(uri.database == "my db")
    assert(
      uri.properties == Map(
        "user" -> "o'hara",
        "password" -> """it's \ fine""",
        "sslmode" -> "require",
        "connectTimeout" -> "3",
        "ApplicationName" -> "x",
      )
    )
  }

  test("what is left out has libpq's default, but the host is localhost") {
    val uri = postgres("ducklake:postgres:")

    assert(uri == CatalogUri.Postgres("localhost", 5432, "me", Map("user" -> "me")))
  }

  test("hostaddr says where to connect, and host whose certificate and password it is") {
    val file = Files.createTempFile("pass", "")
    Files.writeString(file, "10.0.0.1:*:*:*:of the address\na:*:*:*:of the name\n"): Unit
    val passwords = Credentials(Some("me"), None, Some(file.toString))

    val both = postgres("ducklake:postgres:host=a hostaddr=10.0.0.1 dbname=d", passwords)
    assert(both.host == "a" && both.properties("password") == "of the name")
    assert(both.properties.get("ducklake.hostaddr").contains("10.0.0.1"))
    val jdbc = postgres("jdbc:postgresql://a/d?hostaddr=10.0.0.1", passwords)
    assert(jdbc == both)
    val alone = postgres("ducklake:postgres:hostaddr=10.0.0.1 dbname=d", passwords)
    assert(alone.host == "10.0.0.1" && alone.properties("password") == "of the address")
    assert(!alone.properties.contains("ducklake.hostaddr"))
    val socket = postgres("ducklake:postgres:host=/tmp hostaddr=10.0.0.1 dbname=d", passwords)
    assert(socket == alone)
  }

  test("addresses of both schemes are read") {
    val uri = postgres("ducklake:postgres:postgresql://u%40x@[::1]:5499/d%20b?sslmode=disable")
    val short = postgres("ducklake:postgres:postgres:///d")
    assert(postgres("ducklake:postgres:///d") == short)
    assert(postgres("ducklake:postgresql:///d") == short)
    val jdbc = postgres("jdbc:postgresql://h/d?user=u&password=p&ssl=true&loginTimeout=4")

    assert(uri.host == "[::1]" && uri.port == 5499 && uri.database == "d b")
    assert(uri.properties == Map("user" -> "me", "sslmode" -> "disable"))
    assert(short.host == "localhost" && short.database == "d")
    assert(jdbc.host == "h" && jdbc.properties("ssl") == "true")
    assert(jdbc.properties("loginTimeout") == "4" && jdbc.properties("password") == "p")
  }

  test("settings go before the address, the address before the environment") {
    val environment = Map("PGUSER" -> "env", "PGPASSWORD" -> "envpass")
    val none = Credentials.none
    def properties(text: String, credentials: Credentials) =
      postgres(text, credentials, environment).properties

    assert(properties("ducklake:postgres:", none) == Map("user" -> "env", "password" -> "envpass"))
    assert(properties("ducklake:postgres:user=u password=p", none)("password") == "p")
    val outright = Credentials(Some("s"), Some("sp"), None)
    assert(
      properties("ducklake:postgres:user=u password=p", outright) ==
        Map("user" -> "s", "password" -> "sp")
    )
  }

  test("a password file is searched for the connection") {
    val file = Files.createTempFile("pass", "")
    val lines = "# a comment\nother:*:*:*:no\nh:5432:d:a\\:b:co\\\\lon:1\n*:*:*:*:last\n"
    Files.writeString(file, lines): Unit
    def password(text: String, credentials: Credentials, environment: Map[String, String]) =
      postgres(text, credentials, environment).properties.get("password")

    val option = Credentials(Some("a:b"), None, Some(file.toString))
    assert(
      password("ducklake:postgres:host=h dbname=d", option, noEnvironment).contains("co\\lon:1")
    )
    val keyword = s"ducklake:postgres:host=x dbname=d passfile=$file"
    assert(password(keyword, Credentials.none, noEnvironment).contains("last"))
    val variable = Map("PGPASSFILE" -> file.toString)
    assert(password("ducklake:postgres:", Credentials.none, variable).contains("last"))
  }

  test("a password file that cannot be read is an error") {
    val credentials = Credentials(None, None, Some("/nowhere/pass"))
    val error = parse("ducklake:postgres:dbname=d", credentials).left.getOrElse(fail("taken"))

    assert(
      error.why == "needs the password file /nowhere/pass, which cannot be read (NoSuchFileException)"
    )
  }

  test("what cannot be opened is refused with the reason") {
    val reasons = Map(
      "lake.sqlite" -> "names no kind of catalog database",
      "ducklake:mysql:db=d" -> "names a MySQL database, which is not supported yet",
      "ducklake:postgres:host=/tmp dbname=d" ->
        "names a socket folder as host, which Java's driver cannot open",
      "ducklake:postgres:hots=a" -> "has the unknown keyword `hots`",
      "ducklake:postgres:dbname" -> "lacks `=` after `dbname`",
      "ducklake:postgres:dbname='d" -> "has an open quote after `dbname=`",
      "ducklake:postgres:port=70000" -> "has a port that is no number from 1 to 65535",
      "ducklake:postgres:postgresql://a,b/d" -> "names several hosts",
      "ducklake:postgres:host=a,b hostaddr=10.0.0.1" -> "names several hosts",
      "ducklake:postgres:postgresql://h/50%" -> "has a percent sign that begins no escape",
      "jdbc:postgresql://h/d?password=50%zz" -> "has a percent sign that begins no escape",
      "ducklake:sqlite:" -> "names a SQLite database in memory",
      "jdbc:sqlite::memory:" -> "names a SQLite database in memory",
      "ducklake:s3://bucket/m.ducklake" -> "names a DuckDB file that is not local",
      "jdbc:sqlite:/a.db?cache=shared" -> "has a `?`",
    )

    reasons.foreach { case (text, why) => assert(refused(text).why == why, text) }
  }

  test("a password before the host is refused, and not shown") {
    val error = refused("ducklake:postgres:postgresql://u:se@cr/et@h/d")

    assert(!error.message.contains("cr/et"))
    val plain = refused("ducklake:postgres:postgresql://u:secret@h/d")
    assert(plain.why == "has a password before the host")
    assert(plain.hint.contains("password-file"))
    assert(!plain.message.contains("secret"))
    Seq("postgres://", "postgresql://", "postgres:postgres://").foreach { scheme =>
      Seq("u:secret@h/d", "u:secret@h/d?sslmode=require", "u:5/secret@h/d").foreach { rest =>
        val error = refused(s"ducklake:$scheme$rest")
        assert(error.why == "has a password before the host", scheme + rest)
        assert(!error.message.contains("secret"), scheme + rest)
      }
    }
  }

  test("no text of an address or of credentials has the password") {
    val uri = postgres("ducklake:postgres:host=h dbname=d password=secret")

    assert(uri.toString == "Postgres(postgres:d at h:5432)")
    assert(!Credentials(Some("u"), Some("secret"), None).toString.contains("secret"))
    assert(!refused("ducklake:postgres:password=secret hots=a").message.contains("secret"))
    assert(!refused("ducklake:postgres:password='a secret' hots=a").message.contains("secret"))
  }

  test("nothing of a password is shown, wherever an address that is refused ends it") {
    val addresses = Seq(
      "ducklake:postgres:dbname=d password=pa&leak;leak sslcert=x",
      "ducklake:postgres:dbname=d password=two leak",
      "ducklake:postgres:dbname=d password=two leak=x",
      "ducklake:postgres:dbname=d password='abc leak",
      "ducklake:postgres:dbname=d password=ab\\ leak x=1",
      "ducklake:postgres:dbname=d password=a `leak leak`=1",
      "ducklake:postgres:dbname=d password='a://b&leak' leak=1",
      "ducklake:postgres:postgresql://h/d?password=a&port=x",
      "jdbc:postgresql://h:99999/d?sslpassword=leak",
      "jdbc:postgresql://h:99999/d?password=a;leak&ssl=true",
      "jdbc:postgresql:d?port=0&password=leak",
    )

    addresses.foreach { address =>
      val error = refused(address)
      assert(!error.message.contains("leak"), address)
      assert(error.message.contains("=***"), address)
    }
    assert(refused(addresses(1)).why == "lacks `=` after `***`")
    assert(refused(addresses(9)).uri == "jdbc:postgresql://h:99999/d?password=***&ssl=true")
    val beforeHosts = Seq(
      "ducklake:postgres:u:leak@h/d",
      "ducklake:postgres:u:le leak@h/d x=1",
      "ducklake:postgres:u:leak@leak@h/d?x=1",
      "ducklake:postgres:postgres:u:leak@h/d",
      "ducklake:postgres:dbname=d u:leak@h",
      "ducklake:postgresql:u:leak@h",
      "jdbc:postgresql:u:leak@h/d?port=0",
      "ducklake:postgres://u:leak?leak@h/d",
      "ducklake:other:u:leak@h",
      "postgres://u:leak@h/d",
      "u:leak@h/d",
    )
    beforeHosts.foreach { address =>
      val error = refused(address)
      assert(!error.message.contains("leak"), address)
      assert(error.message.contains(":***@h"), address)
    }
  }

  test("a user or a password for a file is refused") {
    Seq("ducklake:sqlite:/a.db", "ducklake:/a.db", "jdbc:duckdb:/a.db").foreach { text =>
      val error = parse(text, Credentials(None, Some("hush"), None)).left.getOrElse(fail("taken"))
      assert(error.why.contains("has no users, but `password` is set"))
      assert(!error.message.contains("hush"))
    }
  }
}
