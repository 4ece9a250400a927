package ducklake.spark.extension

import ducklake.spark.table.DuckLakeTable
import ducklake.spark.table.TableUse
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.DescribeRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Makes DESCRIBE EXTENDED list the hidden columns for users, without the connector's internal
  * hidden columns.
  */
object DescribedTables extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case describe: DescribeRelation =>
      describe.relation match {
        case found @ ResolvedTable(_, _, table: DuckLakeTable, _) =>
          describe.copy(relation = found.copy(table = table.usedFor(TableUse.Described)))
        case _ => describe
      }
    case other => other
  }
}
