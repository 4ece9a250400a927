package ducklake.spark.extension.address

import ducklake.catalog.error.LakeError
import ducklake.spark.changes.ChangesIdentifier
import ducklake.spark.config.AddressOptions
import ducklake.spark.config.ConfigKey
import ducklake.spark.config.ForeignWords
import ducklake.spark.errors.SparkErrors
import ducklake.spark.extension.LakeTableNames
import ducklake.spark.session.LakeCatalog
import ducklake.spark.sparkapi.sql.NameText
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.SupportsNamespaces
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsScala

/** The table that options of `format("ducklake")` name.
  *
  * @param lake the catalog of its lake in the session
  */
private[spark] final case class TableAddress(lake: LakeCatalog, ident: Identifier)

/** Finds the table. With the option `uri` its name is one in that lake. Otherwise the name begins
  * with a lake of the session, or is one in the session's current lake.
  *
  * Source: jvm/docs/reading.md, "By format".
  */
private[spark] object TableAddress {

  /** Errors: InvalidSetting, InvalidUri. */
  def of(options: CaseInsensitiveStringMap): TableAddress = {
    val session = classicSession
    val (option, parts) = nameIn(options)
    if (options.containsKey(ConfigKey.Uri.name)) inLakeOf(session, options, option, parts)
    else inSession(session, options, option, parts)
  }

  /** The same for a batch, which may ask for the changes of the table in Delta's words. */
  def ofBatch(options: CaseInsensitiveStringMap): TableAddress = {
    val address = of(options)
    if (!ForeignWords.asksForFeed(options) || !address.lake.tableExists(address.ident)) address
    else {
      val names = address.lake.name() +: address.ident.namespace().toVector :+ address.ident.name()
      val bounds = AddressOptions.without(names.mkString("."), ForeignWords.withoutFeed(options))
      address.copy(ident = ChangesIdentifier(address.ident, bounds))
    }
  }

  private def inLakeOf(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      option: String,
      parts: Vector[String],
  ): TableAddress = {
    val lake = lakeNamed(session, LakesByUri.register(session, options))
    refuseCatalog(session, lake, option, parts)
    TableAddress(lake, Identifier.of(parts.init.toArray, parts.last))
  }

  private def inSession(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      option: String,
      parts: Vector[String],
  ): TableAddress = {
    new LakeTableNames(session).find(parts) match {
      case Some((catalog, schema)) =>
        refuseSettings(options, catalog)
        TableAddress(lakeNamed(session, catalog), Identifier.of(schema.toArray, parts.last))
      case None =>
        refuse(
          option,
          s"is `${parts.mkString(".")}`, and the session has no lake for that name",
          "Begin with the catalog of a lake, `lake.schema.table`, or give the lake's address as the " +
            "option `uri`.",
        )
    }
  }

  /** Refuses settings of a catalog beside a lake that the session has already. */
  private def refuseSettings(options: CaseInsensitiveStringMap, catalog: String): Unit =
    options
      .asCaseSensitiveMap()
      .asScala
      .keys
      .toVector
      .sorted
      .flatMap(AddressOptions.setting)
      .headOption
      .foreach { key =>
        refuse(
          key,
          s"is a setting of a catalog, and the session has the catalog `$catalog` already",
          s"Set `${AddressOptions.CatalogPrefix}$catalog.$key`, or give the lake's address as the " +
            "option `uri`.",
        )
      }

  /** Refuses a name that begins with another catalog: `uri` names the lake. */
  private def refuseCatalog(
      session: classic.SparkSession,
      lake: LakeCatalog,
      option: String,
      parts: Vector[String],
  ): Unit =
    if (parts.size > 2 && new LakeTableNames(session).isCatalog(parts.head) && lacks(lake, parts))
      refuse(
        option,
        s"begins with the catalog `${parts.head}`, and `uri` names a lake too",
        "Leave out one of them.",
      )

  private def lacks(lake: LakeCatalog, parts: Vector[String]): Boolean = lake match {
    case known: SupportsNamespaces => !known.namespaceExists(Array(parts.head))
    case _ => true
  }

  /** The option that names the table, and the parts of the name. */
  private def nameIn(options: CaseInsensitiveStringMap): (String, Vector[String]) = {
    import AddressOptions.*
    val names = Vector(Path, Paths, Table).filter(options.containsKey)
    names match {
      case Vector() =>
        refuse(
          Table,
          "is missing",
          "Name the table: `load(\"lake.schema.table\")`, or the options `uri` and `table`.",
        )
      case Vector(Paths) =>
        refuse(Paths, "names several tables", "Read each table by itself, and `union` them.")
      case Vector(one) => one -> parsed(one, options.get(one))
      case several =>
        refuse(several.last, s"is given together with `${several.head}`", "Name the table once.")
    }
  }

  /** The text is not repeated in errors before it is known to be a name: it may hold a password. */
  private def parsed(option: String, text: String): Vector[String] =
    if (isAddress(text))
      refuse(
        option,
        "is the address of a lake",
        "Give the address as the option `uri`, and the table's name as `table`.",
      )
    else
      NameText.parts(text).getOrElse {
        refuse(
          option,
          "is no name of a table",
          "Write `lake.schema.table`, with backticks around names with other signs than letters, " +
            "digits and `_`. A lake's tables have no paths.",
        )
      }

  private def isAddress(text: String): Boolean =
    Vector("ducklake:", "jdbc:").exists(kind => text.regionMatches(true, 0, kind, 0, kind.length))

  private def lakeNamed(session: classic.SparkSession, catalog: String): LakeCatalog =
    session.sessionState.catalogManager.catalog(catalog) match {
      case lake: LakeCatalog => lake
      case _ => throw new IllegalStateException(s"the catalog $catalog is no lake")
    }

  private def classicSession: classic.SparkSession = SparkSession.active match {
    case known: classic.SparkSession => known
    case _ => throw new IllegalStateException("no session of this JVM is active")
  }

  private def refuse(option: String, why: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.InvalidSetting(option, why, hint))
}
