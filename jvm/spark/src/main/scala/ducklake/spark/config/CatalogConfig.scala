package ducklake.spark.config

import ducklake.catalog.AbsenceRule
import ducklake.catalog.DataPathRule
import ducklake.catalog.LakeSettings
import ducklake.catalog.MigrationRule
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.address.CatalogUriParser
import ducklake.catalog.jdbc.address.Credentials
import ducklake.catalog.jdbc.web.WebLimits
import ducklake.catalog.option.OptionRules
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.SnapshotId
import ducklake.spark.sparkapi.sql.TimeText

import java.time.Instant
import java.util.Locale

/** The checked settings of a registered catalog.
  *
  * @param pin the only snapshot that this catalog shows; None: the newest
  * @param inliningRowLimit the value of the catalog key; None when it is not set
  * @param isolation the value of the catalog key; None when it is not set
  * @param statementRetries how often a statement runs again after a conflict
  * @param hadoop for the file systems of the catalog's files
  * @param lateMaterialization whether the columns of filters are read before the others
  */
final case class CatalogConfig(
    name: String,
    lake: LakeSettings,
    pin: Option[Pin],
    isReadOnly: Boolean,
    inliningRowLimit: Option[Long],
    isolation: Option[IsolationLevel] = None,
    statementRetries: Int = 0,
    hadoop: HadoopSettings = HadoopSettings.none,
    lateMaterialization: Boolean = true,
)

/** A snapshot named by a setting. */
sealed trait Pin

object Pin {
  final case class Version(id: SnapshotId) extends Pin
  final case class Time(instant: Instant) extends Pin
}

object CatalogConfig {

  /** Reads the keys below `spark.sql.catalog.<name>.`. Errors: InvalidSetting, InvalidUri.
    *
    * @param secret the secret that a store keeps under the full name of a setting
    */
  def parse(
      name: String,
      options: Map[String, String],
      secret: String => Option[String] = _ => None,
  ): CatalogConfig = {
    options.keys.toVector.sorted.find(!ConfigKey.isKnown(_)).foreach { key =>
      val hint = s"The nearest known key is `${ConfigKey.nearest(key)}`."
      fail(key, "is not known", hint)
    }
    val reader = new Reader(options)
    val credentials = credentialsOf(reader, () => secret(s"spark.sql.catalog.$name.password"))
    val pin = pinOf(reader)
    val isReadOnly = reader.flag(ConfigKey.ReadOnly)
    refuseContradictions(reader, pin, isReadOnly)
    CatalogConfig(
      name,
      settingsOf(reader, credentials, pin, isReadOnly),
      pin,
      isReadOnly,
      reader.chosen(ConfigKey.DataInliningRowLimit),
      isolationOf(reader),
      reader.int(ConfigKey.RetryStatementCount),
      HadoopSettings.in(options),
      reader.flag(ConfigKey.LateMaterialization),
    )
  }

  private def settingsOf(
      reader: Reader,
      credentials: Credentials,
      pin: Option[Pin],
      isReadOnly: Boolean,
  ): LakeSettings = {
    val uri = uriOf(reader, credentials)
    LakeSettings(
      uri = uri,
      metadataSchema = reader.text(ConfigKey.MetadataSchema),
      dataPath = reader.text(ConfigKey.DataPath),
      dataPathRule =
        if (reader.flag(ConfigKey.OverrideDataPath)) DataPathRule.Override
        else DataPathRule.MustAgree,
      absence = absenceOf(reader, uri, pin, isReadOnly),
      migration =
        if (reader.flag(ConfigKey.AutomaticMigration)) MigrationRule.Automatic
        else MigrationRule.Refuse,
      encryption = reader.chosenFlag(ConfigKey.Encrypted),
      version = versionOf(reader),
      busyTimeoutMillis = reader.int(ConfigKey.BusyTimeout),
      retry = retryOf(reader),
      pool = poolOf(reader),
      jdbcProperties = reader.below(ConfigKey.JdbcPrefix),
      web = WebLimits(reader.long(ConfigKey.WebMaxBytes), reader.long(ConfigKey.WebTimeoutMs)),
      planMemory = reader.chosen(ConfigKey.PlanningMaxBytes).fold(PlanMemory.ofHeap)(PlanMemory.of),
    )
  }

  private def isolationOf(reader: Reader): Option[IsolationLevel] =
    reader.chosenText(ConfigKey.Isolation).map { text =>
      OptionRules.IsolationLevel.check(text) match {
        case Right(level) => IsolationLevel.of(level)
        case Left(_) =>
          fail(ConfigKey.Isolation.name, s"is `$text`", "Write `snapshot` or `serializable`.")
      }
    }

  private def versionOf(reader: Reader): FormatVersion = {
    val text = reader.required(ConfigKey.DuckLakeVersion)
    FormatVersion.targets.find(_.text == text).getOrElse {
      val allowed = FormatVersion.targets.map(_.text).mkString(" or ")
      fail(ConfigKey.DuckLakeVersion.name, s"is `$text`", s"Write $allowed.")
    }
  }

  private def credentialsOf(reader: Reader, stored: () => Option[String]): Credentials =
    Credentials(
      reader.text(ConfigKey.User),
      reader.text(ConfigKey.Password),
      reader.text(ConfigKey.PasswordFile),
      stored,
    )

  private def uriOf(reader: Reader, credentials: Credentials): CatalogUri =
    CatalogUriParser.parse(reader.required(ConfigKey.Uri), credentials, sys.env) match {
      case Right(uri) => uri
      case Left(error) => throw new LakeException(error)
    }

  private def absenceOf(
      reader: Reader,
      uri: CatalogUri,
      pin: Option[Pin],
      isReadOnly: Boolean,
  ): AbsenceRule = uri match {
    case _: CatalogUri.Web => AbsenceRule.Refuse("a catalog is only read by HTTP")
    case _ if !reader.flag(ConfigKey.CreateIfNotExists) =>
      AbsenceRule.Refuse("`create-if-not-exists` is false")
    case _ if isReadOnly => AbsenceRule.Refuse("the catalog is read-only")
    case _ if pin.isDefined => AbsenceRule.Refuse("the catalog is pinned to a snapshot")
    case _ => AbsenceRule.EmptyLake
  }

  private def pinOf(reader: Reader): Option[Pin] = {
    val version = reader.chosen(ConfigKey.SnapshotVersion).map(v => Pin.Version(SnapshotId(v)))
    val time = reader.text(ConfigKey.SnapshotTime).map { text =>
      Pin.Time(TimeText.instant(text).getOrElse {
        fail(ConfigKey.SnapshotTime.name, s"is no timestamp: $text", "Write 2026-01-31 12:00:00.")
      })
    }
    if (version.isDefined && time.isDefined)
      fail(
        ConfigKey.SnapshotVersion.name,
        "is given together with `snapshot-time`",
        "Give one of them.",
      )
    version.orElse(time)
  }

  private def refuseContradictions(reader: Reader, pin: Option[Pin], isReadOnly: Boolean): Unit = {
    if (reader.flag(ConfigKey.AutomaticMigration) && (isReadOnly || pin.isDefined))
      fail(
        ConfigKey.AutomaticMigration.name,
        "contradicts a read-only or pinned catalog",
        "Leave one of them out.",
      )
  }

  private def retryOf(reader: Reader): RetryPolicy =
    RetryPolicy(
      reader.int(ConfigKey.RetryMaxCount),
      reader.long(ConfigKey.RetryWaitMs),
      reader.factor(ConfigKey.RetryBackoff),
    )

  private def poolOf(reader: Reader): PoolSettings = {
    val size = reader.int(ConfigKey.PoolSize)
    if (size < 1) fail(ConfigKey.PoolSize.name, s"is `$size`", "Write a number of at least 1.")
    PoolSettings(size, reader.long(ConfigKey.PoolWaitMs))
  }

  private def fail(key: String, why: String, hint: String): Nothing =
    throw new LakeException(LakeError.InvalidSetting(key, why, hint))

  /** Reads and checks single values. */
  private final class Reader(options: Map[String, String]) {

    def text(key: ConfigKey): Option[String] = options.get(key.name).orElse(key.default)

    /** The value that the user set; None without a value, even if the key has a default. */
    def chosenText(key: ConfigKey): Option[String] = options.get(key.name)

    def required(key: ConfigKey): String =
      text(key).getOrElse(fail(key.name, "is missing", key.sentence))

    def flag(key: ConfigKey): Boolean = {
      val value = required(key)
      value.toLowerCase(Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case _ => fail(key.name, s"is `$value`", "Write true or false.")
      }
    }

    /** The value that the user set; None without a value, even if the key has a default. */
    def chosenFlag(key: ConfigKey): Option[Boolean] =
      Option.when(options.contains(key.name))(flag(key))

    /** The value that the user set; None without a value, even if the key has a default. */
    def chosen(key: ConfigKey): Option[Long] =
      options.get(key.name).map(whole(key, _, Long.MaxValue))

    def long(key: ConfigKey): Long = whole(key, required(key), Long.MaxValue)

    def int(key: ConfigKey): Int = whole(key, required(key), Int.MaxValue.toLong).toInt

    private def whole(key: ConfigKey, value: String, most: Long): Long =
      value.toLongOption.filter(number => number >= 0 && number <= most).getOrElse {
        fail(key.name, s"is `$value`", s"Write a whole number from 0 to $most.")
      }

    def factor(key: ConfigKey): Double = {
      val value = required(key)
      value.toDoubleOption.filter(_ >= 1).getOrElse {
        fail(key.name, s"is `$value`", "Write a number of at least 1.")
      }
    }

    /** All settings whose keys begin with `prefix`, without the prefix. */
    def below(prefix: String): Map[String, String] =
      options.collect {
        case (key, value) if key.startsWith(prefix) => key.stripPrefix(prefix) -> value
      }
  }
}
