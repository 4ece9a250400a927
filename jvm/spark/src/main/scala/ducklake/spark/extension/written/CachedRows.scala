package ducklake.spark.extension.written

import ducklake.spark.read.DuckLakeScan
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.Command
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.ResolvedHint
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.CachedData
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.ducklake.ChangedTable

/** Puts cached rows into a statement that writes to a lake (decision 23). Spark does it itself,
  * except when the cached plan has no scan of the lake: because the rows came from another cached
  * frame, or because the catalog gave the answer.
  *
  * It runs after the snapshots are aligned, just before Spark looks into its cache.
  */
final class CachedRows(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = (plan, session) match {
    case (write: V2WriteCommand, known: classic.SparkSession)
        if isOurs(write) && !known.sharedState.cacheManager.isEmpty =>
      withCachedRows(PastRelations.withNames(plan), known)
    case _ => plan
  }

  private def isOurs(write: V2WriteCommand): Boolean = write.table match {
    case relation: DataSourceV2Relation =>
      ChangedTable.of(relation.table).getOrElse(relation.table).isInstanceOf[DuckLakeTable]
    case _ => false
  }

  private def withCachedRows(plan: LogicalPlan, known: classic.SparkSession): LogicalPlan = {
    val replaced = plan.transformDown {
      case command: Command => command
      case part => cached(part, known).getOrElse(part)
    }
    replaced.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
      case subquery: SubqueryExpression =>
        subquery.withNewPlan(withCachedRows(subquery.plan, known))
    }
  }

  /** The cached rows of this part of the plan. Parts with a hint are left to Spark, which keeps it.
    */
  private def cached(part: LogicalPlan, known: classic.SparkSession): Option[LogicalPlan] =
    if (part.exists(_.isInstanceOf[ResolvedHint])) None
    else
      known.sharedState.cacheManager
        .lookupCachedData(known, part)
        .filter(isSame(part, _))
        .map(_.cachedRepresentation.withOutput(part.output))

  /** Whether the rows were read as the statement would read them. Spark makes the plan that it runs
    * for the cache after the plan by which it finds the rows.
    */
  private def isSame(part: LogicalPlan, found: CachedData): Boolean = {
    val tables = part
      .collectWithSubqueries { case relation: DataSourceV2Relation =>
        relation.table
      }
      .collect { case table: DuckLakeTable => table.at }
    CachedRows.scans(found.cachedRepresentation.cacheBuilder.cachedPlan).forall {
      case scan: DuckLakeScan => isAmong(tables, scan.request.table)
      case _ => true
    }
  }

  private def isAmong(tables: Seq[TableAtSnapshot], read: TableAtSnapshot): Boolean =
    read.isPast || tables.contains(read)
}

private object CachedRows extends AdaptiveSparkPlanHelper {

  /** The scans of a plan, and the scans of the cached plans whose rows it reads. */
  def scans(plan: SparkPlan): Seq[Scan] =
    collectWithSubqueries(plan) {
      case batch: BatchScanExec => Seq(batch.scan)
      case rows: InMemoryTableScanExec => scans(rows.relation.cacheBuilder.cachedPlan)
    }.flatten
}
