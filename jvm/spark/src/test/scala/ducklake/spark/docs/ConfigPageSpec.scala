package ducklake.spark.docs

import ducklake.spark.config.ConfigKey

/** `jvm/docs/configuration.md`: every key of a catalog. */
final class ConfigPageSpec extends RecordedPage {

  private def code(text: String): String = if (text.isEmpty) "" else s"`$text`"

  private def page: String = {
    val rows = ConfigKey.all.map(k => Seq(code(k.name), k.kind, code(k.default), k.sentence))
    s"""# Settings
       |
       |Keys of one catalog, below `spark.sql.catalog.<name>.`; in Python the arguments of
       |`configure`, with underscores. An unknown key is an error. This page is made from the code.
       |
       |${table(Seq("key", "value", "default", "meaning"), rows)}
       || `${ConfigKey.JdbcPrefix}<property>` | text |  | Handed to the JDBC driver. |
       |
       |DuckDB's own keys ${ConfigKey.withoutEffect.toSeq.sorted.map(code).mkString(", ")} and
       |`${ConfigKey.WithoutEffectPrefix}*` are accepted and have no effect.
       |
       |## Addresses
       |
       || `uri` | catalog database |
       || --- | --- |
       || `ducklake:sqlite:<path>` | a SQLite file; several processes may share it |
       || `ducklake:postgres:dbname=d host=h port=5432 user=u` | PostgreSQL, by libpq's keywords |
       || `ducklake:postgres:postgresql://u@h:5432/d` | PostgreSQL, by libpq's address |
       || `ducklake:<path>`, `ducklake:duckdb:<path>` | a DuckDB file; one process at a time |
       || `jdbc:sqlite:…`, `jdbc:postgresql:…`, `jdbc:duckdb:…` | the same by JDBC address |
       |
       |A path without a scheme is a local file. `s3`, `gcs`, `az`, `azure` and `r2` are opened as
       |Hadoop's `s3a`, `gs`, `abfss` and `s3a`; the catalog keeps DuckDB's spelling.
       |
       |A password inside an address is refused: use `password-file`, `password`, or the environment
       |variables `PGPASSFILE` and `PGPASSWORD`. Spark hides the value of `password` in its UI.
       |DuckDB does not wait when a SQLite catalog is locked; this connector does (`busy-timeout`).
       |""".stripMargin
  }

  test("the page of settings is what the code knows") {
    assertRecorded("configuration.md", page)
  }
}
