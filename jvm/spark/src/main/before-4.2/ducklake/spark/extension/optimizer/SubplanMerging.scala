package ducklake.spark.extension.optimizer

import org.apache.spark.sql.catalyst.optimizer.MergeScalarSubqueries
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Spark's own rule that merges scalar subqueries of the same table. */
private[optimizer] object SubplanMerging {
  val rule: Rule[LogicalPlan] = MergeScalarSubqueries
}
