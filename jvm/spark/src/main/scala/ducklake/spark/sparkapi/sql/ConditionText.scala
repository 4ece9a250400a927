package ducklake.spark.sparkapi.sql

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

/** Translates the SQL text of a condition that is an option of a write. */
object ConditionText {

  /** The rules that Spark applies to the condition of REPLACE WHERE after its analysis and before
    * its translation.
    */
  private val rules: Vector[Rule[LogicalPlan]] = Vector(
    ReplaceExpressions,
    RewriteWithExpression,
    ComputeCurrentTime,
    ConstantFolding,
    UnwrapCastInBinaryComparison,
    ConstantFolding,
  )

  /** The condition as filters: it is true where all of them are true. Left: the part of the
    * condition that Spark cannot express as a filter for sources.
    *
    * Errors: Spark's own errors, for a text that is not a condition on these columns.
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
