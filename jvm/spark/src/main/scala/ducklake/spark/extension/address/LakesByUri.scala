package ducklake.spark.extension.address

import ducklake.catalog.error.LakeError
import ducklake.spark.config.AddressOptions
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.ConfigKey
import ducklake.spark.config.NearestName
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.extension.LakeTableNames
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.jdk.CollectionConverters.MapHasAsScala

/** Lakes that only options name: `uri` and other settings of a catalog. Each gets a catalog in the
  * session, so that it is opened once, and its tables are the same in all statements.
  *
  * The catalog's name is made from the settings, but from no part that may be a secret. The same
  * settings lead to the same catalog.
  */
private[address] object LakesByUri {

  private val NamePrefix = "ducklake_"

  /** The name of the catalog with the settings among the options; registers it when the session has
    * none. Errors: InvalidSetting, InvalidUri.
    */
  def register(session: SparkSession, options: CaseInsensitiveStringMap): String = {
    val named = options.asCaseSensitiveMap().asScala.toVector
    named.map(_._1).sorted.foreach(refuseMisspelt)
    val settings = named.flatMap { case (key, value) =>
      AddressOptions.setting(key).map(_ -> value)
    }.toMap
    val base = NamePrefix + digest(settings)
    synchronized {
      val names = base +: LazyList.from(2).map(number => s"${base}_$number")
      val name = names.find(name => registered(session, name).forall(_ == settings)).getOrElse(base)
      if (registered(session, name).isEmpty) {
        settings.foreach { case (key, value) => session.conf.set(s"${keyOf(name)}.$key", value) }
        session.conf.set(keyOf(name), LakeTableNames.LakeClass)
      }
      name
    }
  }

  /** The settings of a catalog; None when the session has no such catalog. */
  private def registered(session: SparkSession, name: String): Option[Map[String, String]] = {
    val prefix = keyOf(name) + "."
    session.conf.getOption(keyOf(name)).map { _ =>
      session.conf.getAll.collect {
        case (key, value) if key.startsWith(prefix) => key.stripPrefix(prefix) -> value
      }
    }
  }

  private def keyOf(catalog: String): String = AddressOptions.CatalogPrefix + catalog

  /** Also checks the settings, before anything is registered. */
  private def digest(settings: Map[String, String]): String = {
    val address = CatalogConfig.parse(NamePrefix.dropRight(1), settings).lake.uri.display
    val shown = settings.toVector.sorted.map {
      case (ConfigKey.Uri.name, _) => address
      case (key, _) if key == ConfigKey.Password.name => key
      case (key, _) if ConfigKey.prefixes.exists(key.startsWith) => key
      case (key, value) => s"$key=$value"
    }
    val bytes = MessageDigest.getInstance("SHA-256").digest(shown.mkString("\n").getBytes(UTF_8))
    bytes.take(6).map(byte => f"$byte%02x").mkString
  }

  private def refuseMisspelt(option: String): Unit = {
    val isKnown = AddressOptions.isName(option) || StatementOptions.isOfStatement(option) ||
      StatementOptions.isExplained(option) || AddressOptions.setting(option).isDefined
    if (!isKnown)
      NearestName.likely(option, ConfigKey.all.map(_.name)).foreach { nearest =>
        val hint = s"The nearest known key is `$nearest`."
        SparkErrors.raise(LakeError.InvalidSetting(option, "is not known", hint))
      }
  }
}
