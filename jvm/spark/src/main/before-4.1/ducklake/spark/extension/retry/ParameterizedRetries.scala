package ducklake.spark.extension.retry

import ducklake.spark.extension.LakeTableNames
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.ParameterizedQuery
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.command.ExplainCommand

/** Makes statements with parameters run again after a conflict. Spark 4.0 puts the values of
  * parameters around a statement after it has been parsed, so the parser cannot do it.
  */
private[spark] final class ParameterizedRetries(session: SparkSession) extends Rule[LogicalPlan] {
  import ParameterizedRetries.IsKnown

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case explain: ExplainCommand => explain.logicalPlan.foreach(_.setTagValue(IsKnown, ()))
      case _ => ()
    }
    (plan, session) match {
      case (query: ParameterizedQuery, known: classic.SparkSession)
          if query.child.getTagValue(IsKnown).isEmpty =>
        query.child.setTagValue(IsKnown, ())
        StatementRetries.around(query, query.child, known, tables.find(_).map(_._1))
      case _ => plan
    }
  }
}

private[spark] object ParameterizedRetries {

  /** Marks a statement that is explained, or that the command for retries runs. */
  private val IsKnown = TreeNodeTag[Unit]("ducklake_retries_known")

  /** Adds the rule. */
  def addTo(extensions: SparkSessionExtensions): Unit =
    extensions.injectHintResolutionRule(session => new ParameterizedRetries(session))
}
