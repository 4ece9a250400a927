package ducklake.spark.ddl

import ducklake.catalog.change.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.ViewAnalysis
import ducklake.spark.sparkapi.ViewDefinition
import ducklake.spark.sparkapi.ViewNames
import ducklake.spark.table.Views
import org.slf4j.LoggerFactory

import java.util.UUID

/** A view's text as it is stored: it means the same wherever and under whatever name the lake is
  * registered, for DuckLake keeps neither Spark's current schema nor its settings with it.
  */
final class ViewTexts(session: SessionLake) {

  private val log = LoggerFactory.getLogger(classOf[ViewTexts])

  /** Errors: UnusableView where the text leans on what is not stored; Unsupported for comments on a
    * view's columns that are the view's own.
    */
  def operation(
      schema: LakeSchema,
      name: String,
      definition: ViewDefinition,
  ): Operation.CreateView = {
    val shown = s"${session.name}.${schema.name}.$name"
    withoutComments(shown, schema, definition)
    Operation.CreateView(
      schema,
      name,
      UUID.randomUUID(),
      Views.SparkDialect,
      stored(shown, schema, definition),
      aliases(definition),
      tags(definition),
    )
  }

  /** A view of a lake has no comments on its columns. Spark hands on those of the tables that the view
    * reads: they are left out with a warning. Others were written for this view: they are refused.
    */
  private def withoutComments(
      shown: String,
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Unit = {
    val columns = definition.columns.zipWithIndex.filter { case (column, _) =>
      column.comment.nonEmpty
    }
    if (columns.nonEmpty) {
      val passedOn = commentsOfText(schema, definition)
      columns
        .find { case (column, i) => passedOn.lift(i).flatten != column.comment }
        .foreach { case (column, _) =>
          SparkErrors.raise(
            LakeError.Unsupported(
              s"The comment on column `${column.name}` of view $shown",
              "DuckLake keeps comments of views, but none of their columns.",
            )
          )
        }
      log.warn(
        "View {} is created without the comments that its columns have in the tables it reads: DuckLake " +
          "keeps no comments on columns of views.",
        shown,
      )
    }
  }

  /** The comments that the columns of the view's text have by themselves. */
  private def commentsOfText(
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Vector[Option[String]] = {
    val found = ViewAnalysis.schema(
      definition.text,
      session.name,
      schema.name,
      definition.settings,
    )
    found.fold(_ => Vector.empty, _.fields.toVector.map(_.getComment()))
  }

  /** The properties that are kept. */
  def tags(definition: ViewDefinition): Map[String, String] =
    definition.properties.filterNot { case (key, _) => dropped(key) }

  /** The lake's own name becomes the placeholder. Source: DuckDB 1.5.5 (format 8.7). */
  private def stored(shown: String, schema: LakeSchema, definition: ViewDefinition): String = {
    val text = definition.text
    if (Views.quotesNames(definition.settings) && text.contains('"'))
      SparkErrors.raise(
        LakeError.UnusableView(
          shown,
          "its names are in double quotes by a setting of the session, which a lake does not store",
          "Write the names in backquotes.",
        )
      )
    val mentions = ViewNames.of(text)
    mentions.find(mention => leans(mention.parts, schema, definition)).foreach { mention =>
      SparkErrors.raise(
        LakeError.UnusableView(
          shown,
          s"`${mention.parts.mkString(".")}` is found by the current catalog and schema, which " +
            "a lake does not store",
          "Write the name with its catalog and schema.",
        )
      )
    }
    mentions.filter(m => m.parts.length > 1 && m.parts.head == session.name).foldRight(text) {
      (mention, done) =>
        val own = done.substring(mention.from, mention.end)
        val behind = own.indexOf('.') + 1
        done.substring(0, mention.from) + Views.CatalogPlaceholder + own.drop(behind) +
          done.substring(mention.end)
    }
  }

  /** Whether the name means something else from within the view's own schema. */
  private def leans(
      parts: Vector[String],
      schema: LakeSchema,
      definition: ViewDefinition,
  ): Boolean = {
    val isOurs = definition.catalog.contains(session.name)
    val isHome = isOurs && (definition.namespace match {
      case Vector(only) => Names.isSame(only, schema.name)
      case _ => false
    })
    if (parts.length == 1) !isHome
    else !isOurs && !ViewNames.isCatalog(parts.head)
  }

  /** Empty unless the view gives its columns names of its own. */
  private def aliases(definition: ViewDefinition): String = {
    val names = definition.columns.map(_.name)
    if (names == definition.queryColumns) ""
    else names.map(name => "\"" + name.replace("\"", "\"\"") + "\"").mkString(",")
  }

  private val dropped = Set("owner", "table_type", "collation")
}
