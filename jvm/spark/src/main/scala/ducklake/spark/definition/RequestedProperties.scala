package ducklake.spark.definition

import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.option.OptionRules
import ducklake.spark.config.NearestName
import ducklake.spark.errors.SparkErrors
import ducklake.spark.types.TextLengths
import org.slf4j.LoggerFactory

import java.util.Locale

/** The properties of TBLPROPERTIES, divided by their meaning for a lake.
  *
  * Source: jvm/docs/statements.md, "Table properties".
  *
  * @param options lake options of the table's scope, as they were given
  * @param chosenTypes types that properties set, by column name
  * @param sort the sort order; None when no property sets it
  * @param tags all other properties, the comment included
  */
final case class RequestedProperties(
    options: Map[String, String],
    chosenTypes: Map[String, String],
    sort: Option[Vector[SortChange.NamedKey]],
    tags: Map[String, String],
) {

  /** Whether the statement sets no property. */
  def isEmpty: Boolean = options.isEmpty && chosenTypes.isEmpty && sort.isEmpty && tags.isEmpty
}

object RequestedProperties {

  private val log = LoggerFactory.getLogger(RequestedProperties.getClass)

  val SortedBy: String = "ducklake.sorted-by"
  val TypePrefix: String = "ducklake.type."

  /** Properties that Spark itself sets and that a lake does not store. */
  private val dropped = Set("owner", "is_managed_location", "table_type", "__clustering_columns")

  /** Errors: InvalidOption, Unsupported. */
  def of(properties: Map[String, String]): RequestedProperties = {
    val own = properties.filterNot { case (key, _) => isDropped(key) }
    own.foreach { case (key, value) => check(key, value) }
    val relevant = own.filterNot { case (key, _) => isStorageFormat(key) }
    val (options, others) = relevant.partition { case (key, _) => OptionRules.isKnown(key) }
    val (types, rest) = others.partition { case (key, _) => isType(key) }
    val (sort, tags) = rest.partition { case (key, _) => key.equalsIgnoreCase(SortedBy) }
    RequestedProperties(
      options,
      types.map { case (key, value) => key.drop(TypePrefix.length) -> value },
      sort.values.headOption.map(SortOrderText.parse),
      tags,
    )
  }

  /** The key and the value to store for a property that names a lake option. Errors: InvalidOption.
    */
  def stored(key: String, value: String, table: TableDefinition): (String, String) =
    OptionRules.ofTable(key, value, table) match {
      case Right(setting) => setting.key -> setting.value
      case Left(error) => SparkErrors.raise(error)
    }

  def isType(key: String): Boolean = lower(key).startsWith(TypePrefix)

  /** Whether Spark passes on, as a property, something that is not a property of the table. */
  def isDropped(key: String): Boolean = dropped(lower(key)) || lower(key).startsWith("option.")

  /** Whether USING names the format of the lake's tables. */
  def isOwnFormat(provider: String): Boolean = Set("ducklake", "parquet")(lower(provider))

  /** Whether the property describes how the table is stored. The lake decides that by itself. */
  def isStorageFormat(key: String): Boolean = Set("provider", "collation")(lower(key))

  /** The option whose name is similar to the property's; None without a similar name. Every
    * property that is not an option becomes a tag, also a misspelled option.
    */
  def nearlyOption(key: String): Option[String] =
    if (OptionRules.isKnown(key) || isType(key) || key.equalsIgnoreCase(SortedBy)) None
    else {
      val nearest = NearestName.of(key, SortedBy +: OptionRules.all.map(_.key))
      val spelt = lower(key).replace('-', '_').replace('.', '_')
      Option.when(spelt == nearest || NearestName.distance(key, nearest) <= 2)(nearest)
    }

  private def warn(key: String): Unit =
    nearlyOption(key).foreach { option =>
      log.warn(
        "Table property `{}` is kept as a tag without effect. If the option `{}` is meant, set that and " +
          "UNSET the property.",
        key,
        option,
      )
    }

  /** Refuses properties that a lake cannot obey, and warns of an option that is probably
    * misspelled.
    */
  def check(key: String, value: String): Unit = {
    warn(key)
    lower(key) match {
      case "provider" if !isOwnFormat(value) =>
        refuse(s"USING $value", "Leave USING out: the tables of a lake are Parquet.")
      case "location" | "path" | "external" =>
        refuse(
          "A table at a place of its own",
          "The lake chooses where files go. Leave LOCATION, EXTERNAL and `path` out.",
        )
      case TextLengths.Tag =>
        refuse(
          s"The property `${TextLengths.Tag}`",
          "Declare columns as CHAR(n) or VARCHAR(n).",
        )
      case "collation" if !value.equalsIgnoreCase("UTF8_BINARY") =>
        refuse(s"The collation $value", "DuckLake compares text by its bytes: UTF8_BINARY.")
      case _ => ()
    }
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private def refuse(what: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.Unsupported(what, hint))
}
