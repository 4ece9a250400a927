package ducklake.spark.sparkapi

import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.optimizer.RewriteWithExpression
import org.apache.spark.sql.catalyst.optimizer.UnwrapCastInBinaryComparison
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.StructType

/** A condition as SQL text, for a write whose options carry one. */
object ConditionText {

  /** What Spark does to the condition of REPLACE WHERE between its analysis and its translation. */
  private val rules: Vector[Rule[LogicalPlan]] = Vector(
    ReplaceExpressions,
    RewriteWithExpression,
    ComputeCurrentTime,
    ConstantFolding,
    UnwrapCastInBinaryComparison,
    ConstantFolding,
  )

  /** The filters that are true together where the condition is. Left: the part that a source cannot be
    * asked.
    *
    * Errors: Spark's own, for a text that is no condition on these columns.
    */
  def predicates(text: String, columns: StructType): Either[String, Vector[Predicate]] = {
    val state = SparkSession.active.sessionState
    val relation = LocalRelation(DataTypeUtils.toAttributes(columns))
    val analyzed =
      state.executePlan(Filter(state.sqlParser.parseExpression(text), relation)).analyzed
    rules.foldLeft(analyzed)((plan, rule) => rule(plan)) match {
      case Filter(condition, _: LocalRelation) =>
        val translated = conjuncts(condition).map(part => part -> predicate(part))
        translated.collectFirst { case (part, None) => part.sql }.toLeft(translated.flatMap(_._2))
      case _ => Left(text)
    }
  }

  private def predicate(part: Expression): Option[Predicate] =
    new V2ExpressionBuilder(part, isPredicate = true).buildPredicate()

  private def conjuncts(condition: Expression): Vector[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Vector(other)
  }
}
