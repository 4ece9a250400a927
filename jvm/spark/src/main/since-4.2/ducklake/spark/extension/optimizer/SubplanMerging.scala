package ducklake.spark.extension.optimizer

import org.apache.spark.sql.catalyst.optimizer.MergeSubplans
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Spark's own rule that merges subqueries and aggregates of the same table. */
private[optimizer] object SubplanMerging {
  val rule: Rule[LogicalPlan] = MergeSubplans
}
