package ducklake.spark.extension.optimizer

import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite
import org.apache.spark.sql.catalyst.plans.logical.Subquery
import org.apache.spark.sql.catalyst.plans.logical.WithCTE
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.catalyst.trees.TreePattern.SCALAR_SUBQUERY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Lets Spark before 4.3 merge scalar subqueries, and aggregates, that read the same table of a
  * lake, so that it reads the table once.
  *
  * Spark merges them for its own files. For other sources it compares the scans, and the scans of
  * two subqueries differ when they read different columns. This rule runs before Spark makes the
  * scans of the query itself. It replaces the scans of the subqueries by tables, and calls Spark's
  * own rule. Merged subqueries are then a part of the query and get their scan with it; every other
  * subquery gets its own scan back.
  *
  * Spark 4.3 merges the scans of lakes itself: see [[ducklake.spark.sparkapi.catalog.ScanMerging]].
  *
  * Source: ours, decision 28.
  */
object MergedSubplans extends Rule[LogicalPlan] {

  /** Marks a table that stands in the place of this scan. */
  private val Replaced = TreeNodeTag[DataSourceV2ScanRelation]("ducklake-replaced-scan")

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: Subquery | _: WithCTE | _: RowLevelWrite => plan
    case _ if isExcluded || !plan.containsAnyPattern(SCALAR_SUBQUERY, AGGREGATE) => plan
    case _ =>
      SubplanMerging.rule(changed(plan)(withTables)) match {
        case merged: WithCTE if merged.cteDefs.exists(_.exists(LakeScans.isTable)) =>
          changed(merged)(withScans)
        case _ => plan
      }
  }

  private def isExcluded: Boolean =
    conf.optimizerExcludedRules.exists(
      _.split(',').map(_.trim).contains(SubplanMerging.rule.ruleName)
    )

  /** Changes the scalar subqueries of a plan at any depth, except merged subqueries. */
  private def changed(plan: LogicalPlan)(change: LogicalPlan => LogicalPlan): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsPattern(SCALAR_SUBQUERY)) {
      case subquery: ScalarSubquery if !subquery.plan.isInstanceOf[CTERelationRef] =>
        subquery.withNewPlan(change(changed(subquery.plan)(change)))
    }

  private def withTables(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case filter @ Filter(_, scan: DataSourceV2ScanRelation) if LakeScans.canBeMadeAgain(scan) =>
      table(scan, filter.copy(child = scan.relation))
    case scan: DataSourceV2ScanRelation if LakeScans.canBeMadeAgain(scan) =>
      table(scan, scan.relation)
  }

  /** A filter stays directly above the table, because Spark pushes down only filters there. */
  private def table(scan: DataSourceV2ScanRelation, rows: LogicalPlan): LogicalPlan = {
    val columns = Project(scan.output, rows)
    columns.setTagValue(Replaced, scan)
    columns
  }

  private def withScans(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case table: Project if table.getTagValue(Replaced).isDefined =>
      val scan = table.getTagValue(Replaced)
      table.child.transform { case relation: DataSourceV2Relation => scan.getOrElse(relation) }
  }
}
