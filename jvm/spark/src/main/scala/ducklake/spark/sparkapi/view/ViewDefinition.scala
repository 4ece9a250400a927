package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.DataType

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
  * @param schemaMode how the view follows changes of its tables, in Spark's words; None where Spark
  *   does not say it
  */
final case class ViewDefinition(
    text: String,
    columns: Vector[ViewColumn],
    queryColumns: Vector[String],
    catalog: Option[String],
    namespace: Vector[String],
    settings: Map[String, String],
    properties: Map[String, String],
    schemaMode: Option[String] = None,
)

object ViewDefinition {

  /** Spark's default: columns of the text are cast to the types of the view's columns. */
  val Compensation: String = "COMPENSATION"
}

/** A view with the plan of its text, analysed by Spark. */
final case class AnalysedView(definition: ViewDefinition, text: LogicalPlan) {

  /** The plan that gives the view's columns. */
  def rows: LogicalPlan = {
    val columns = definition.columns.zip(text.output).map { case (column, found) =>
      Alias(Cast(found, column.dataType), column.name)()
    }
    Project(columns, text)
  }
}
