package ducklake.spark.sparkapi.view

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.View
import org.apache.spark.sql.types.DataType

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala

/** A column of a view. */
final case class ViewColumn(
    name: String,
    dataType: DataType,
    isNullable: Boolean,
    comment: Option[String],
)

/** The definition of a view in Spark.
  *
  * @param queryColumns the names of the columns in the text's result
  * @param catalog with `namespace`: the current catalog and namespace for names in the text
  * @param settings settings of the session on which the meaning of the text depends
  */
final case class ViewDefinition(
    text: String,
    columns: Vector[ViewColumn],
    queryColumns: Vector[String],
    catalog: Option[String],
    namespace: Vector[String],
    settings: Map[String, String],
    properties: Map[String, String],
)

/** Converts views of Spark's catalogs from and to [[ViewDefinition]]. */
object SparkViews {

  def definition(view: View): ViewDefinition =
    ViewDefinition(
      view.queryText(),
      view.columns().toVector.map { column =>
        ViewColumn(column.name, column.dataType, column.nullable, Option(column.comment))
      },
      view.queryColumnNames().toVector,
      Option(view.currentCatalog()),
      view.currentNamespace().toVector,
      view.sqlConfigs().asScala.toMap,
      view.properties().asScala.toMap,
    )

  /** The view in Spark's form. With the mode `COMPENSATION` Spark casts columns of the text to the
    * types of the view's columns when the types have changed since.
    */
  def view(definition: ViewDefinition): View =
    new View.Builder()
      .withColumns(definition.columns.map(column).toArray)
      .withQueryText(definition.text)
      .withCurrentCatalog(definition.catalog.orNull)
      .withCurrentNamespace(definition.namespace.toArray)
      .withSqlConfigs(definition.settings.asJava)
      .withSchemaMode("COMPENSATION")
      .withQueryColumnNames(definition.queryColumns.toArray)
      .withProperties(definition.properties.asJava)
      .build()

  private def column(column: ViewColumn): Column =
    Column.create(
      column.name,
      column.dataType,
      column.isNullable,
      column.comment.orNull,
      null,
    )
}
