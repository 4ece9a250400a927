package ducklake.spark.extension.merge

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.OuterReference
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.Metadata
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Pads texts of CHAR columns where an expression reads them.
  *
  * @param padded the expressions to read instead of the columns
  */
private[merge] final case class CharPadding(padded: Map[ExprId, Expression]) {

  /** The expression with padded texts, also within its subqueries. */
  def in(expression: Expression): Expression = expression match {
    case subquery: SubqueryExpression => inSubquery(subquery)
    case attribute: AttributeReference => padded.getOrElse(attribute.exprId, attribute)
    case other => other.mapChildren(in(_))
  }

  /** The subquery, which reads the columns of the query around it as padded texts. */
  def inSubquery(subquery: SubqueryExpression): SubqueryExpression =
    subquery.withNewPlan(subquery.plan.transformUpWithSubqueries { case node =>
      node.transformExpressionsUp {
        case OuterReference(outer) if outer.resolved && padded.contains(outer.exprId) =>
          padded(outer.exprId).transform { case attribute: AttributeReference =>
            OuterReference(attribute)
          }
      }
    })
}

private[merge] object CharPadding {
  val none: CharPadding = CharPadding(Map.empty)

  /** The padding of columns of a table that have lost their lengths.
    *
    * @param columns attributes with the names of the table's columns
    */
  def of(table: DuckLakeTable, columns: Seq[Attribute]): CharPadding =
    if (!SQLConf.get.readSideCharPadding || SQLConf.get.charVarcharAsString) none
    else {
      val lengths = lengthsOf(table)
      CharPadding(columns.flatMap { column =>
        val typed = lengths.get(column.name).fold(column)(column.withMetadata)
        val padded = CharVarcharUtils.addPaddingForScan(typed)
        Option.unless(padded == typed)(column.exprId -> padded)
      }.toMap)
    }

  /** The metadata by column in which Spark keeps the lengths. */
  private def lengthsOf(table: DuckLakeTable): Map[String, Metadata] = {
    val fields = table.columns().map(column => StructField(column.name, column.dataType))
    val texts = CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType(fields))
    texts.map(field => field.name -> field.metadata).toMap
  }
}
