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
      |A path without a scheme is a local file; [catalog files](catalog-files.md) has what to know about SQLite and DuckDB files. In
      |data paths `s3` and `r2` are opened as Hadoop's `s3a`, `gcs` as `gs`, `az` and `azure` as `abfss`. The catalog keeps DuckDB's
      |spelling.
      |
      |These keywords of libpq are known: `dbname`, `host`, `hostaddr`, `port`, `user`, `password`, `passfile`,
      |`sslmode`, `sslrootcert`, `connect_timeout`, `application_name` and `options`. Others are an error: give
      |the driver's own properties by `jdbc.<property>`, or in a JDBC address.
      |
      |- Without `host` it is `localhost`, without `port` 5432, without `dbname` the database that is named like the user.
      |- `hostaddr` is the address to connect to; the certificate and the line of the password file are still those of `host`.
      |- A folder of a socket as host, a list of hosts, and MySQL are refused."""

  private val logins =
    """## User and password
      |
      |The user of PostgreSQL is looked for in this order: the key `user`, the address, the variable `PGUSER`, the user of the
      |driver's process. The password is looked for in this order:
      |
      |1. the key `password`;
      |2. `password=` in the address;
      |3. the file that the key `password-file`, or `passfile=` in the address, names;
      |4. the variable `PGPASSWORD`;
      |5. the file that the variable `PGPASSFILE` names;
      |6. `~/.pgpass`.
      |
      |In a password file the first line that fits counts. A file that cannot be read is an error.
      |
      |The password may also be in a store of Hadoop (`hadoop.security.credential.provider.path`), under the name of the key,
      |`spark.sql.catalog.lake.password`: [storage.md](storage.md#where-settings-go) says how it gets there. It counts as the
      |key `password` does.
      |
      |An address with `user:password@` is refused. `password=` among libpq's keywords or behind the `?` is accepted, as by
      |DuckDB. A password file or the environment keeps the password out of the session's settings. This connector's errors never
      |show a password, and Spark's UI hides settings that contain the word `password` (`spark.redaction.regex`)."""

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
