package ducklake.spark.extension

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refuses to read or write a table with two columns whose names are equal for Spark. The rule runs
  * before Spark uses the columns.
  */
object DuplicateColumnNames extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case relation: DataSourceV2Relation =>
        relation.table match {
          case table: DuckLakeTable => table.checkNames()
          case _ => ()
        }
      case _ => ()
    }
    plan
  }
}
