package ducklake.spark.docs

import ducklake.spark.config.ConfigKey

/** `jvm/docs/configuration.md`: every key of a catalog. */
final class ConfigPageSpec extends RecordedPage {

  private def code(text: String): String = s"`$text`"

  private def default(key: ConfigKey): String =
    if (key == ConfigKey.DataPath) "see below" else key.default.fold("")(code)

  // Their margins are stripped with the page's.
  private val addresses =
    """## Addresses
      |
      || `uri` | catalog database |
      || --- | --- |
      || `ducklake:sqlite:<path>` | a SQLite file; several processes may share it |
      || `ducklake:postgres:dbname=d host=h port=5432 user=u` | PostgreSQL, by libpq's keywords |
      || `ducklake:postgres:postgresql://u@h:5432/d` | PostgreSQL, by libpq's address |
      || `ducklake:<path>`, `ducklake:duckdb:<path>` | a DuckDB file; one process at a time |
      || `ducklake:https://<address>`, `ducklake:sqlite:https://<address>` | a DuckDB or SQLite file on a web server, read-only: see [storage.md](storage.md#lakes-on-the-web) |
      || `jdbc:sqlite:…`, `jdbc:postgresql:…`, `jdbc:duckdb:…` | the same by JDBC address |
      |
      |A path without a scheme is a local file. `s3`, `gcs`, `az`, `azure` and `r2` are opened as
      |Hadoop's `s3a`, `gs`, `abfss` and `s3a`; the catalog keeps DuckDB's spelling.
      |DuckDB does not wait when a SQLite catalog is locked; this connector does (`busy-timeout`).
      |
      |Of libpq's keywords there are `dbname`, `host`, `hostaddr`, `port`, `user`, `password`, `passfile`,
      |`sslmode`, `sslrootcert`, `connect_timeout`, `application_name` and `options`; others are an error: give
      |the driver's own properties by `jdbc.<property>`, or in a JDBC address. Without a host it is `localhost`, without a port 5432,
      |without a database the one named as the user. `hostaddr` is where to connect; the certificate and the line of the password
      |file are those of `host`. A socket folder and a list of hosts are refused. MySQL is refused."""

  private val logins =
    """## User and password
      |
      |The user of PostgreSQL is the first that is given of: the key `user`, the address, `PGUSER`, the user of the
      |driver's process. The password is the first of: the key `password`, `password=` in the address, the file named
      |by the key `password-file` or by `passfile=` in the address, `PGPASSWORD`, the file named by `PGPASSFILE`,
      |`~/.pgpass`. Of a password file the first line that fits counts; a file that cannot be read is an error.
      |
      |The password may also be in a store of Hadoop (`hadoop.security.credential.provider.path`), under the name of the key,
      |`spark.sql.catalog.lake.password`: [storage.md](storage.md#where-settings-go) says how it gets there. It counts as the
      |key `password` does.
      |
      |An address with `user:password@` is refused. `password=` among libpq's keywords or behind the `?` is taken, as by
      |DuckDB; a password file or the environment keeps it out of the session's settings. This connector's errors never
      |show a password, and Spark's UI hides settings in which the word stands (`spark.redaction.regex`)."""

  private def page: String = {
    val rows = ConfigKey.all.map(k => Seq(code(k.name), k.kind, default(k), k.sentence))
    s"""# Settings
       |
       |Keys of one catalog, below `spark.sql.catalog.<name>.`; in Python the arguments of
       |`configure`, with underscores. An unknown key is an error. The table is made from the code.
       |
       |${table(Seq("key", "value", "default", "meaning"), rows)}
       || `${ConfigKey.JdbcPrefix}<property>` | text |  | Handed to the JDBC driver. |
       || `${ConfigKey.HadoopPrefix}<property>` | text |  | Handed to Hadoop's file systems for this catalog's files: credentials, endpoint. See [storage.md](storage.md). |
       |
       |DuckDB's own keys ${ConfigKey.withoutEffect.toSeq.sorted.map(code).mkString(", ")} and
       |`${ConfigKey.WithoutEffectPrefix}*` are accepted and have no effect.
       |
       |Where no `data-path` is given, a new lake in a SQLite or DuckDB file keeps its files beside it, in
       |`<database file>.files/`; a new lake in PostgreSQL needs one.
       |
       |$addresses
       |
       |$logins
       |""".stripMargin
  }

  test("the page of settings is what the code knows") {
    assertRecorded("configuration.md", page)
  }
}
