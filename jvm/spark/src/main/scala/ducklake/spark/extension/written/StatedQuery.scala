package ducklake.spark.extension.written

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeSeq
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.LocalTableScanExec
import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.execution.RangeExec
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnionExec

/** Queries whose rows the plan states: VALUES, local data, a SELECT without FROM, a range of
  * numbers, unions of them, and expressions of Spark's own over them. A range of several parts is
  * meant for as many tasks.
  */
private[written] object StatedQuery {

  /** The most rows that the query may have; None when its plan does not state them. */
  def mostRows(query: SparkPlan): Option[BigInt] =
    query match {
      case local: LocalTableScanExec => Some(BigInt(local.rows.size))
      case range: RangeExec => Option.when(range.numSlices == 1)(range.numElements)
      case leaf: LeafExecNode => Option.when(isOneRow(leaf))(BigInt(1))
      case ProjectExec(columns, child) if columns.forall(isOfSpark) => mostRows(child)
      case UnionExec(children) =>
        val each = children.map(mostRows)
        Option.when(each.forall(_.nonEmpty))(each.flatten.sum)
      case _ => None
    }

  /** The rows of such a query. A row is valid until the next one is taken. */
  def rows(query: SparkPlan): Iterator[InternalRow] =
    query match {
      case range: RangeExec =>
        Iterator
          .iterate(BigInt(range.start))(_ + range.step)
          .take(range.numElements.toInt)
          .map(number => new GenericInternalRow(Array[Any](number.toLong)))
      case leaf: LeafExecNode if isOneRow(leaf) => Iterator(InternalRow.empty)
      case ProjectExec(columns, child) =>
        val projection = InterpretedUnsafeProjection.createProjection(
          BindReferences.bindReferences(columns, child.output)
        )
        projection.initialize(0)
        rows(child).map(projection(_))
      case UnionExec(children) => children.iterator.flatMap(rows)
      case local => local.executeCollect().iterator
    }

  /** The node of a SELECT without FROM has a class of its own only since Spark 4.1. */
  private def isOneRow(leaf: LeafExecNode): Boolean =
    leaf.output.isEmpty && leaf.nodeName.startsWith("Scan OneRowRelation")

  /** A function of a user may take as long as a task. */
  private def isOfSpark(expression: Expression): Boolean =
    !expression.exists {
      case _: UserDefinedExpression | _: SubqueryExpression => true
      case _ => false
    }
}
