package ducklake.spark.extension.frame

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedHint
import org.apache.spark.sql.catalyst.rules.Rule

/** Gives the target of `DataFrame.mergeInto` a name, as `MERGE INTO t AS name` does in SQL: the
  * hint `ducklake_target` of the source has the name. Spark's method has no argument for the name.
  */
object MergeTargets extends Rule[LogicalPlan] {

  private val Hint = "ducklake_target"

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case merge: MergeIntoTable =>
      named(merge.sourceTable).fold(merge) { case (alias, source) =>
        merge.copy(targetTable = SubqueryAlias(alias, merge.targetTable), sourceTable = source)
      }
    case other =>
      // The source alone, which Spark resolves before the merge.
      named(other).fold(other) { case (_, source) => source }
  }

  private def named(plan: LogicalPlan): Option[(String, LogicalPlan)] = plan match {
    case UnresolvedHint(name, Seq(Literal(alias, _)), source) if name.equalsIgnoreCase(Hint) =>
      Some((alias.toString, source))
    case _ => None
  }
}
