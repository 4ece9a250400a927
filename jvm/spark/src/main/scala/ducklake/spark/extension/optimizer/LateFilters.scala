package ducklake.spark.extension.optimizer

import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.V2ScanPartitioningAndOrdering
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown

/** Gives a scan the filters that Spark found after it had made the scan.
  *
  * Spark makes the scans of a subquery before it turns the subquery into a join, and infers filters
  * from the join afterwards. For its own files Spark uses all filters, because it plans their scans
  * at the end. With this strategy a scan of a lake has the same filters: it reads no file that the
  * filters exclude, and equal parts of a plan are recognised as equal and executed once.
  *
  * Source: ours, decision 28.
  */
object LateFilters extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(_, filters, scan: DataSourceV2ScanRelation) =>
      filtered(scan, filters.filter(isPushable)).toSeq.map { better =>
        planLater(plan.transform { case same: DataSourceV2ScanRelation if same eq scan => better })
      }
    case _ => Nil
  }

  private def isPushable(filter: Expression): Boolean =
    filter.deterministic && !SubqueryExpression.hasSubquery(filter)

  /** The scan with these filters; None when it already has them, or when it is another kind of
    * scan.
    */
  private def filtered(
      old: DataSourceV2ScanRelation,
      filters: Seq[Expression],
  ): Option[DataSourceV2ScanRelation] =
    for {
      scan <- LakeScans.scanOf(old)
      request = scan.request
      if request.limit.isEmpty && request.top.isEmpty && LakeScans.canBeMadeAgain(old)
      // To make a scan costs more than to see that it would be the same.
      if LakeScans.usable(filters, scan).exists(!request.predicates.contains(_))
      condition <- filters.reduceOption(And(_, _))
      made <- scanWith(old, condition)
      better <- LakeScans.scanOf(made).map(_.request)
      if made.output.map(_.exprId) == old.output.map(_.exprId)
      if better.predicates.toSet != request.predicates.toSet
      if request.predicates.forall(better.predicates.contains)
    } yield made

  /** The scan that Spark's own rules make. The relation is not copied, because its fields differ
    * between versions of Spark.
    */
  private def scanWith(
      old: DataSourceV2ScanRelation,
      condition: Expression,
  ): Option[DataSourceV2ScanRelation] = {
    val rows = Project(old.output, Filter(condition, old.relation))
    V2ScanPartitioningAndOrdering(V2ScanRelationPushDown(rows)).collectFirst {
      case made: DataSourceV2ScanRelation => made
    }
  }
}
