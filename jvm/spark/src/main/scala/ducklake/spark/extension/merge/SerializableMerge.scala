package ducklake.spark.extension.merge

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.DeleteAction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Keeps Spark from turning a MERGE with only WHEN NOT MATCHED into an append, when the table is
  * serializable: an append does not know which rows the statement has read. The rule adds a clause
  * that never applies.
  */
object SerializableMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case merge: MergeIntoTable if onlyInserts(merge) && isSerializable(merge.targetTable) =>
      merge.copy(matchedActions = Seq(DeleteAction(Some(Literal.FalseLiteral))))
    case other => other
  }

  private def onlyInserts(merge: MergeIntoTable): Boolean =
    merge.matchedActions.isEmpty && merge.notMatchedBySourceActions.isEmpty

  private def isSerializable(target: LogicalPlan): Boolean =
    EliminateSubqueryAliases(target) match {
      case relation: DataSourceV2Relation =>
        relation.table match {
          case table: DuckLakeTable => table.isSerializable
          case _ => false
        }
      case _ => false
    }
}
