package ducklake.spark.table

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeView
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.view.AnalysedView
import ducklake.spark.sparkapi.view.DuckDbText
import ducklake.spark.sparkapi.view.ForeignText
import ducklake.spark.sparkapi.view.ViewAnalysis
import ducklake.spark.sparkapi.view.ViewColumn
import ducklake.spark.sparkapi.view.ViewDefinition
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructType

/** Turns views of the lake into Spark's views. The text must run in Spark, which also decides the
  * columns' types.
  */
final class Views(session: SessionLake) {

  /** The view that an identifier names. Errors: UnusableView when the text does not run in Spark,
    * or when the identifier has no schema.
    */
  def find(snapshot: LakeSnapshot, ident: Identifier): Option[AnalysedView] =
    snapshot.view(Namespaces.pathOf(ident.namespace()), ident.name()).map { view =>
      if (ident.namespace().isEmpty) refuseShortName(view)
      analysed(view, snapshot.macros().map(_.name))
    }

  /** Refuses a name without schema, because Spark cannot read a view by it. */
  private def refuseShortName(view: LakeView): Nothing =
    SparkErrors.raise(
      LakeError.UnusableView(
        s"${session.name}.${view.name}",
        "Spark needs a view's schema in its name",
        s"Write `${session.name}.${view.qualifiedName}`.",
      )
    )

  /** @param macros the names of the lake's macros, which hide DuckDB's functions of these names */
  def analysed(view: LakeView, macros: => Vector[String]): AnalysedView = {
    val text = this.text(view)
    val configs = Views.configsOf(view.dialect)
    val name = s"${session.name}.${view.qualifiedName}"
    val foreign =
      Option.when(view.dialect != Views.SparkDialect)(
        ForeignText(named(view), session.name, macros)
      )
    val found =
      ViewAnalysis.plan(text, session.name, view.schema.path, configs, Views.share, foreign)
    val plan = found match {
      case Right(plan) => plan
      case Left(why) =>
        SparkErrors.raise(
          LakeError.UnusableView(
            name,
            s"its text is in dialect ${view.dialect} and does not run in Spark: $why",
            "Read it with DuckDB, or create it from Spark.",
          )
        )
    }
    AnalysedView(
      ViewDefinition(
        text,
        columns(view, plan.schema),
        plan.schema.fieldNames.toVector,
        Some(session.name),
        view.schema.path,
        ViewAnalysis.settings ++ configs,
        view.tags,
      ),
      plan,
    )
  }

  /** The text as Spark reads it, with the catalog's name in place of the placeholder. */
  def text(view: LakeView): String =
    if (view.dialect == Views.SparkDialect) named(view) else DuckDbText.forSpark(named(view))

  private def named(view: LakeView): String =
    view.sql.replace(Views.CatalogPlaceholder, s"${quoted(view, session.name)}.")

  private def columns(view: LakeView, schema: StructType): Vector[ViewColumn] =
    Views.columnNames(view, schema.fieldNames.toVector).zip(schema.fields).map {
      case (name, field) =>
        ViewColumn(name, field.dataType, field.nullable, Views.commentOf(view, name))
    }

  private def quoted(view: LakeView, name: String): String =
    if (view.dialect == Views.SparkDialect) s"`${name.replace("`", "``")}`"
    else s"\"${name.replace("\"", "\"\"")}\""
}

object Views {

  val SparkDialect: String = "spark"

  /** Stands for the lake's own name in a stored text. Source: DuckDB 1.5.5 (format 8.7). */
  val CatalogPlaceholder: String = "{DUCKLAKE_CATALOG}."

  /** Lets a session that analyses a view see the open transactions of its caller. */
  def share(callers: CatalogPlugin, own: () => Option[CatalogPlugin]): Unit = callers match {
    case lake: LakeCatalog if lake.lakeOfSession.transaction.open.isDefined =>
      own() match {
        case Some(fresh: LakeCatalog) => fresh.open(lake.lakeOfSession)
        case _ => ()
      }
    case _ => ()
  }

  /** The settings that Spark needs to parse a text of this dialect, whoever reads it; all others are
    * those of the reader. Spark must never replace `${…}`
    * in a text by settings or variables of the environment: a writer of the catalog would see their
    * values in the addresses that the view reads. Other engines quote names as the SQL standard
    * does, and have TIMESTAMP without a time zone. In their texts a backslash is not special.
    * [[DuckDbText]] handles it, because Spark's setting for it would read `''` within a text as two
    * apostrophes.
    */
  def configsOf(dialect: String): Map[String, String] =
    if (dialect == SparkDialect)
      Map(
        "spark.sql.variable.substitute" -> "false",
        "spark.sql.ansi.doubleQuotedIdentifiers" -> "false",
        "spark.sql.parser.escapedStringLiterals" -> "false",
        "spark.sql.timestampType" -> "TIMESTAMP_LTZ",
      )
    else
      Map(
        "spark.sql.variable.substitute" -> "false",
        "spark.sql.ansi.enabled" -> "true",
        "spark.sql.ansi.doubleQuotedIdentifiers" -> "true",
        "spark.sql.parser.escapedStringLiterals" -> "false",
        "spark.sql.legacy.consecutiveStringLiterals.enabled" -> "false",
        "spark.sql.orderByOrdinal" -> "true",
        "spark.sql.groupByOrdinal" -> "true",
        "spark.sql.groupByAliases" -> "true",
        "spark.sql.timestampType" -> "TIMESTAMP_NTZ",
      )

  /** Whether text in double quotes is a name, not a string. */
  def quotesNames(configs: collection.Map[String, String]): Boolean = {
    val isStandard = configs.getOrElse("spark.sql.ansi.enabled", "true") == "true"
    isStandard && configs.get("spark.sql.ansi.doubleQuotedIdentifiers").contains("true")
  }

  /** The names of the view's columns.
    *
    * @param ofText the names that the view's text gives to the columns
    */
  def columnNames(view: LakeView, ofText: Vector[String]): Vector[String] = {
    val own = aliases(view.aliases)
    ofText.zipWithIndex.map { case (name, i) => own.lift(i).getOrElse(name) }
  }

  /** The comment that a column of the view has in Spark. The lake may spell the column differently,
    * and it keeps comments on columns that the view's text no longer returns.
    */
  def commentOf(view: LakeView, column: String): Option[String] =
    Names.find(view.columnComments.toVector, column)(_._1).map(_._2)

  /** The names in a stored list of quoted names; empty when there are none. */
  private def aliases(text: String): Vector[String] =
    "\"((?:[^\"]|\"\")*+)\"".r.findAllMatchIn(text).map(_.group(1).replace("\"\"", "\"")).toVector
}
