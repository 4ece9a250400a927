package ducklake.spark.extension.optimizer

import ducklake.spark.read.AggregatePushDownScan
import ducklake.spark.read.aggregate.DecidedRows
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown

/** Lets the catalog answer aggregates over filters that it decides for each file: all rows meet
  * them, or none.
  *
  * Spark asks a source for aggregates only where it keeps no filter, and keeps all filters of a
  * lake's scan. This strategy runs Spark's push-down once more, over a table that has the filters
  * inside, and takes its plan when the catalog has answered.
  *
  * Source: ours, decision 35.
  */
object DecidedAggregates extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate =>
      aggregate.child match {
        case PhysicalOperation(_, filters, scan: DataSourceV2ScanRelation) if filters.nonEmpty =>
          answered(aggregate, filters, scan).map(planLater).toSeq
        case _ => Nil
      }
    case _ => Nil
  }

  private def answered(
      aggregate: Aggregate,
      filters: Seq[Expression],
      old: DataSourceV2ScanRelation,
  ): Option[LogicalPlan] =
    for {
      scan <- LakeScans.scanOf(old)
      if scan.request.limit.isEmpty && scan.request.top.isEmpty && LakeScans.canBeMadeAgain(old)
      predicates <- LakeScans.decidable(filters, scan)
      decided <- Some(old.relation.table).collect { case lake: DuckLakeTable =>
        new DecidedRows(lake.at, predicates)
      }
      table = LakeScans.replaced(old.relation, old.relation.table, decided)
      made = V2ScanRelationPushDown(aggregate.transformUp {
        case Filter(_, rows) => rows
        case same: DataSourceV2ScanRelation if same eq old => Project(old.output, table)
      })
      if made.exists {
        case relation: DataSourceV2ScanRelation => relation.scan.isInstanceOf[AggregatePushDownScan]
        case _ => false
      }
    } yield made
}
