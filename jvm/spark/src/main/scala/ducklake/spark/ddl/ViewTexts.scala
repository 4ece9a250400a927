package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.view.ViewAnalysis
import ducklake.spark.sparkapi.view.ViewDefinition
import ducklake.spark.sparkapi.view.ViewNames
import ducklake.spark.table.Views
import org.slf4j.LoggerFactory

import java.util.UUID

/** Makes the text of a view that is stored. The text must mean the same in every session and under
  * every name of the catalog, because DuckLake stores neither Spark's current schema nor its
  * settings with it.
  */
final class ViewTexts(session: SessionLake) {

  private val log = LoggerFactory.getLogger(classOf[ViewTexts])

  /** The operation that creates a view. Errors: UnusableView when the text depends on something
    * that is not stored; Unsupported for metric views, and for comments on columns that were
    * written for this view.
    */
  def operation(
      base: LakeSnapshot,
      schema: LakeSchema,
      name: String,
      definition: ViewDefinition,
  ): Operation.CreateView = {
    val fullName = s"${session.name}.${schema.qualifiedName}.$name"
    check(fullName, definition)
    val comments = commentsOf(definition)
    if (!base.version.hasViewColumnTags && comments.nonEmpty)
      checkComments(fullName, schema, definition)
    Operation.CreateView(
      schema,
      name,
      UUID.randomUUID(),
      Views.SparkDialect,
      stored(fullName, schema, definition),
      aliases(definition),
      tags(definition),
      if (base.version.hasViewColumnTags) comments else Map.empty,
    )
  }

  /** Refuses what a lake cannot store. Errors: Unsupported. */
  def check(fullName: String, definition: ViewDefinition): Unit = {
    checkKind(fullName, definition)
    checkMode(fullName, definition)
  }

  /** Refuses a metric view, whose text is YAML: DuckDB parses the texts of views as SQL. */
  private def checkKind(fullName: String, definition: ViewDefinition): Unit =
    if (definition.properties.get(ViewTexts.TableType).contains(ViewTexts.MetricView))
      SparkErrors.raise(
        LakeError.Unsupported(
          s"The metric view $fullName",
          "Views of a lake are SQL. Create the metric view in the catalog `spark_catalog`, with a " +
            "table of the lake as its source.",
        )
      )

  /** Refuses a view that follows changes of its tables in another way than Spark's default, because
    * a lake does not store the way.
    */
  private def checkMode(fullName: String, definition: ViewDefinition): Unit =
    definition.schemaMode.filterNot(_ == ViewDefinition.Compensation).foreach { mode =>
      SparkErrors.raise(
        LakeError.Unsupported(
          s"The schema mode $mode of the view $fullName",
          s"A lake does not store it. Leave it out, or write WITH SCHEMA ${ViewDefinition.Compensation}.",
        )
      )
    }

  /** The comments on the view's columns: comments written for the view, and comments that the
    * columns have in the tables that it reads.
    */
  private def commentsOf(definition: ViewDefinition): Map[String, String] =
    definition.columns.flatMap(column => column.comment.map(column.name -> _)).toMap

  /** Checks the comments on columns, which a view of a lake of version 1.0 cannot have. Spark
    * passes on the comments of the tables that the view reads; they are left out with a warning.
    * Comments that were written for this view are refused.
    */
  private def checkComments(
      fullName: String,
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Unit = {
    val passedOn = commentsOfText(schema, definition)
    definition.columns.zipWithIndex
      .filter(_._1.comment.nonEmpty)
      .find { case (column, i) => passedOn.lift(i).flatten != column.comment }
      .foreach { case (column, _) =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"The comment on column `${column.name}` of view $fullName",
            "A lake of version 1.0 keeps comments of views, but none of their columns.",
          )
        )
      }
    log.warn(
      "View {} is created without the comments that its columns have in the tables it reads: a lake " +
        "of version 1.0 keeps no comments on columns of views.",
      fullName,
    )
  }

  /** The comments that the columns of the view's text have in the tables that the text reads. */
  private def commentsOfText(
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Vector[Option[String]] = {
    val found = ViewAnalysis.schema(
      definition.text,
      session.name,
      schema.path,
      definition.settings,
      Views.share,
      foreign = None,
    )
    found.fold(_ => Vector.empty, _.fields.toVector.map(_.getComment()))
  }

  /** The properties that are stored as tags. */
  def tags(definition: ViewDefinition): Map[String, String] =
    definition.properties.filterNot { case (key, _) => dropped(key) }

  /** The text to store, with a placeholder in place of the lake's own name. Source: DuckDB 1.5.5
    * (format 8.7).
    */
  private def stored(fullName: String, schema: LakeSchema, definition: ViewDefinition): String = {
    val text = definition.text
    ViewNames.programIn(text).foreach { what =>
      SparkErrors.raise(
        LakeError.UnusableView(
          fullName,
          s"its text $what, which views of a lake must not",
          "Leave it out.",
        )
      )
    }
    SessionMeaning.of(definition).foreach { found =>
      SparkErrors.raise(LakeError.UnusableView(fullName, found.why, found.hint))
    }
    val mentions = ViewNames.of(text)
    mentions.find(mention => dependsOnSession(mention.parts, schema, definition)).foreach {
      mention =>
        SparkErrors.raise(
          LakeError.UnusableView(
            fullName,
            s"`${mention.parts.mkString(".")}` is found by the current catalog and schema, which " +
              "a lake does not store",
            "Write the name with its catalog and schema.",
          )
        )
    }
    mentions.filter(m => m.parts.length > 1 && m.parts.head == session.name).foldRight(text) {
      (mention, rewritten) =>
        val own = rewritten.substring(mention.from, mention.end)
        val behind = own.indexOf('.') + 1
        rewritten.substring(0, mention.from) + Views.CatalogPlaceholder + own.drop(behind) +
          rewritten.substring(mention.end)
    }
  }

  /** Whether the name would mean something else if the view's own schema were the current schema.
    */
  private def dependsOnSession(
      parts: Vector[String],
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Boolean = {
    val isOurs = definition.catalog.contains(session.name)
    val isHome = isOurs && Namespaces.isSame(definition.namespace.toArray, schema.path)
    if (parts.length == 1) !isHome
    else !isOurs && !ViewNames.isCatalog(parts.head)
  }

  /** The stored list of column names; empty when the view gives no names to its columns. */
  private def aliases(definition: ViewDefinition): String = {
    val names = definition.columns.map(_.name)
    if (names == definition.queryColumns) ""
    else names.map(name => "\"" + name.replace("\"", "\"\"") + "\"").mkString(",")
  }

  private val dropped = Set("owner", ViewTexts.TableType, "collation")
}

private object ViewTexts {

  /** The kind of a view that WITH METRICS creates. Spark 4.2 and newer have it. */
  private val MetricView = "METRIC_VIEW"

  /** Spark's property that says what a relation is; its constant is newer than Spark 4.0. */
  private val TableType = "table_type"
}
