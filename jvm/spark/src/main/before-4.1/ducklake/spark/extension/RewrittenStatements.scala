package ducklake.spark.extension

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.analysis.RewriteDeleteFromTable
import org.apache.spark.sql.catalyst.analysis.RewriteMergeIntoTable
import org.apache.spark.sql.catalyst.analysis.RewriteUpdateTable
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Rewrites row-level statements on a lake by Spark's own rules before the rules of ours that come
  * next, which change what has been rewritten. Spark 4.0 does it only after all rules of extensions,
  * newer versions before them.
  */
object RewrittenStatements extends Rule[LogicalPlan] {

  /** Adds the rule, behind the rules for statements that are not rewritten. */
  def addTo(extensions: SparkSessionExtensions): Unit =
    extensions.injectPostHocResolutionRule(_ => RewrittenStatements)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case delete: DeleteFromTable if isOurs(delete.table) => RewriteDeleteFromTable(delete)
    case update: UpdateTable if isOurs(update.table) => RewriteUpdateTable(update)
    case merge: MergeIntoTable if isOurs(merge.targetTable) => RewriteMergeIntoTable(merge)
    case other => other
  }

  private def isOurs(target: LogicalPlan): Boolean = EliminateSubqueryAliases(target) match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }
}
