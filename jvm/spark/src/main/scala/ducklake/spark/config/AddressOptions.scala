package ducklake.spark.config

import ducklake.spark.sparkapi.sql.NameText
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util
import java.util.Locale

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala

/** The options of `format("ducklake")` that say which table is meant: its name, and the settings of
  * its lake.
  *
  * Source: jvm/docs/reading.md, "By format".
  */
object AddressOptions {

  /** The name of the table, as `load(…)`, `save(…)` and `start(…)` hand it over. */
  val Path: String = "path"

  /** The names that `load(…)` hands over when it gets several. */
  val Paths: String = "paths"

  /** The name of the table, as an option. */
  val Table: String = "table"

  /** Prefix of the setting that registers a catalog. */
  val CatalogPrefix: String = "spark.sql.catalog."

  def isName(option: String): Boolean =
    Vector(Path, Paths, Table).exists(_.equalsIgnoreCase(option))

  /** The setting of a catalog that an option gives, as the catalog spells it. None for options of
    * the read or the write itself, also where a catalog has a setting of the same name
    * (`snapshot-version`, `isolation-level`).
    */
  def setting(option: String): Option[String] = {
    val lower = option.toLowerCase(Locale.ROOT)
    if (isName(option) || StatementOptions.isOfStatement(option)) None
    else
      ConfigKey.prefixes.find(lower.startsWith) match {
        case Some(prefix) => Some(prefix + option.drop(prefix.length))
        case None => Option.when(ConfigKey.isKnown(lower))(lower)
      }
  }

  /** The options of the read or the write itself. Spark hands a table all options, so those that
    * only repeat the table's name, or a setting that its catalog has, are left out. Other values
    * stay, and are refused as unknown options.
    *
    * @param table the table's full name, which begins with that of its catalog
    */
  def without(table: String, options: CaseInsensitiveStringMap): CaseInsensitiveStringMap =
    if (options.isEmpty) options
    else {
      val catalog = table.takeWhile(_ != '.')
      val others = options.asCaseSensitiveMap().asScala.filterNot { case (key, value) =>
        repeatsName(table, key, value) || repeatsSetting(catalog, key, value)
      }
      if (others.size == options.size) options
      else new CaseInsensitiveStringMap(new util.HashMap(others.asJava))
    }

  private def repeatsName(table: String, key: String, value: String): Boolean =
    isName(key) && NameText.parts(value).exists { parts =>
      val written = parts.mkString(".").toLowerCase(Locale.ROOT)
      val full = table.toLowerCase(Locale.ROOT)
      Vector(full, full.replaceFirst("\\.main\\.", ".")).exists { name =>
        name == written || name.endsWith("." + written)
      }
    }

  private def repeatsSetting(catalog: String, key: String, value: String): Boolean =
    setting(key).exists { name =>
      SessionSettings.text(s"$CatalogPrefix$catalog.$name").contains(value)
    }
}
