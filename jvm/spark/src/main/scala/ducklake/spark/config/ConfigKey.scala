package ducklake.spark.config

import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.web.WebLimits
import ducklake.catalog.option.OptionRules
import ducklake.catalog.sql.FormatVersion

/** One catalog setting, below `spark.sql.catalog.<name>.`.
  *
  * @param default the value as a user would write it
  */
final case class ConfigKey(name: String, kind: String, default: Option[String], sentence: String)

/** All settings of a catalog: the only list of them. jvm/docs/configuration.md is generated from
  * it.
  */
object ConfigKey {

  val Uri: ConfigKey =
    ConfigKey("uri", "text", None, "The lake's address: DuckDB's ATTACH string or a JDBC address.")

  val DataPath: ConfigKey = ConfigKey(
    "data-path",
    "path",
    None,
    "Where files go when the lake is created; must agree with the stored path otherwise.",
  )

  val OverrideDataPath: ConfigKey = ConfigKey(
    "override-data-path",
    "boolean",
    Some("false"),
    "Use `data-path` in place of the stored one, for this catalog only.",
  )

  val CreateIfNotExists: ConfigKey = ConfigKey(
    "create-if-not-exists",
    "boolean",
    Some("true"),
    "A database without a lake is shown as an empty lake, made by the first statement that creates.",
  )

  val MetadataSchema: ConfigKey = ConfigKey(
    "metadata-schema",
    "text",
    None,
    "Schema of the metadata tables; where it is not given `public` in PostgreSQL, `main` in DuckDB.",
  )

  val Encrypted: ConfigKey =
    ConfigKey(
      "encrypted",
      "boolean",
      Some("false"),
      "Encrypt the files of a new lake; where it is given, it must agree with an existing lake.",
    )

  val DataInliningRowLimit: ConfigKey = ConfigKey(
    "data-inlining-row-limit",
    "integer",
    OptionRules.DataInliningRowLimit.default,
    "Up to how many rows of an insert, and deleted rows of a file, the catalog itself keeps, where no stored " +
      "option says otherwise; `0`: none.",
  )

  val Isolation: ConfigKey = ConfigKey(
    OptionRules.IsolationLevel.key,
    "text",
    OptionRules.IsolationLevel.default,
    "Whether DELETE, UPDATE and MERGE conflict with new rows of others that may match their condition, where no " +
      "stored option says otherwise: `snapshot` (no) or `serializable` (yes).",
  )

  val SnapshotVersion: ConfigKey =
    ConfigKey("snapshot-version", "integer", None, "Pin the catalog to a snapshot, read-only.")

  val SnapshotTime: ConfigKey = ConfigKey(
    "snapshot-time",
    "timestamp",
    None,
    "Pin the catalog to the newest snapshot at or before a time, read-only.",
  )

  val ReadOnly: ConfigKey =
    ConfigKey(
      "read-only",
      "boolean",
      Some("false"),
      "Refuse every write before anything is touched.",
    )

  val LateMaterialization: ConfigKey = ConfigKey(
    "late-materialization",
    "boolean",
    Some("true"),
    "Read the columns that filters test first, and the others only where rows may match; `false`: all columns at once.",
  )

  val AutomaticMigration: ConfigKey = ConfigKey(
    "automatic-migration",
    "boolean",
    Some("false"),
    "Bring an older catalog up to `ducklake-version` before the first write; reading never migrates.",
  )

  val DuckLakeVersion: ConfigKey = ConfigKey(
    "ducklake-version",
    "text",
    Some(FormatVersion.V10.text),
    "Version of a lake that Spark makes, and target of `automatic-migration`: `1.0` (DuckDB 1.5 and 2.0) or " +
      "`1.1` (DuckDB 2.0); an existing lake keeps its version.",
  )

  val BusyTimeout: ConfigKey = ConfigKey(
    "busy-timeout",
    "milliseconds",
    Some("5000"),
    "How long to wait for a file of SQLite or DuckDB, or a lock of PostgreSQL, that another holds.",
  )

  val User: ConfigKey = ConfigKey("user", "text", None, "User of the catalog database.")

  val Password: ConfigKey = ConfigKey("password", "text", None, "Password of the catalog database.")

  val PasswordFile: ConfigKey =
    ConfigKey("password-file", "path", None, "A file in the form of libpq's password file.")

  val RetryMaxCount: ConfigKey =
    ConfigKey(
      "retry.max-count",
      "integer",
      Some(RetryPolicy.default.maxCount.toString),
      "How often a commit is tried again.",
    )

  val RetryWaitMs: ConfigKey =
    ConfigKey(
      "retry.wait-ms",
      "milliseconds",
      Some(RetryPolicy.default.waitMillis.toString),
      "Wait before the first retry of a commit.",
    )

  val RetryBackoff: ConfigKey =
    ConfigKey(
      "retry.backoff",
      "number",
      Some(RetryPolicy.default.backoff.toString),
      "Factor between one wait and the next.",
    )

  val RetryStatementCount: ConfigKey =
    ConfigKey(
      "retry.statement-count",
      "integer",
      Some("0"),
      "How often an SQL statement runs again after a conflict (DELETE, UPDATE, MERGE, overwrites); needs the " +
        "session extension.",
    )

  val PoolSize: ConfigKey =
    ConfigKey(
      "pool.size",
      "integer",
      Some(PoolSettings.default.size.toString),
      "How many connections to PostgreSQL the catalog may have at once.",
    )

  val PoolWaitMs: ConfigKey =
    ConfigKey(
      "pool.wait-ms",
      "milliseconds",
      Some(PoolSettings.default.waitMillis.toString),
      "How long a statement waits for one of these connections.",
    )

  val WebMaxBytes: ConfigKey =
    ConfigKey(
      WebLimits.SizeKey,
      "integer",
      Some(WebLimits.default.mostBytes.toString),
      "The largest catalog file that is copied from a web server.",
    )

  val WebTimeoutMs: ConfigKey =
    ConfigKey(
      WebLimits.CopyKey,
      "milliseconds",
      Some(WebLimits.default.copyMillis.toString),
      "How long the copy of a catalog file from a web server may take.",
    )

  val PlanningMaxBytes: ConfigKey =
    ConfigKey(
      "planning.max-bytes",
      "integer",
      None,
      "How much memory of the driver the plan of a table may take; where it is not given, five eighths of the " +
        "heap. The catalog database chooses the files of tables whose index takes more.",
    )

  val all: Vector[ConfigKey] = Vector(
    Uri,
    DataPath,
    OverrideDataPath,
    CreateIfNotExists,
    MetadataSchema,
    Encrypted,
    DataInliningRowLimit,
    Isolation,
    SnapshotVersion,
    SnapshotTime,
    ReadOnly,
    LateMaterialization,
    AutomaticMigration,
    DuckLakeVersion,
    BusyTimeout,
    User,
    Password,
    PasswordFile,
    RetryMaxCount,
    RetryWaitMs,
    RetryBackoff,
    RetryStatementCount,
    PoolSize,
    PoolWaitMs,
    WebMaxBytes,
    WebTimeoutMs,
    PlanningMaxBytes,
  )

  /** Prefix of properties for the JDBC driver: `jdbc.<property>`. */
  val JdbcPrefix: String = "jdbc."

  /** Prefix of properties for Hadoop's file systems: `hadoop.<property>`. */
  val HadoopPrefix: String = "hadoop."

  /** DuckDB's own keys, which are accepted and have no effect. */
  val withoutEffect: Set[String] =
    Set("metadata-catalog", "metadata-path", "metadata-parameters", "write-deletion-vectors")

  /** Prefix of further keys of DuckDB that have no effect. */
  val WithoutEffectPrefix: String = "meta-"

  /** The beginnings of keys whose other part is free. */
  val prefixes: Vector[String] = Vector(JdbcPrefix, HadoopPrefix, WithoutEffectPrefix)

  def isKnown(key: String): Boolean =
    all.exists(_.name == key) || withoutEffect(key) || prefixes.exists(key.startsWith)

  /** The known key with the most similar spelling. */
  def nearest(key: String): String =
    NearestName.of(key, all.map(_.name) ++ withoutEffect)
}
