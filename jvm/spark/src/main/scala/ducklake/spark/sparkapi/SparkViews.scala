package ducklake.spark.sparkapi

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

/** A view as Spark defines and reads it.
  *
  * @param queryColumns the names that the text gives the columns
  * @param catalog current catalog and namespace of the text
  * @param settings the session's settings that the text depends on
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

/** Views of Spark's catalogs. */
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

  /** Spark casts the columns of the text to those of the view where both have changed since. */
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
    Column.create(column.name, column.dataType, column.isNullable)
}
