package ducklake.spark.extension

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.ducklake.ChangedTable

/** The scan by which a row-level statement finds the rows that it changes. */
private[extension] object RowLevelScans {

  def isOurs(write: WriteDelta): Boolean = write.originalTable match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }

  def isTarget(plan: LogicalPlan): Boolean = changed(plan).nonEmpty

  def changed(plan: LogicalPlan): Option[DuckLakeTable] = plan match {
    case scan: DataSourceV2Relation =>
      ChangedTable.of(scan.table).collect { case table: DuckLakeTable => table }
    case _ => None
  }
}

/** Leaves a row-level statement one such scan. Where a subquery compares with the target by other than
  * `=`, Spark reads the target's values once more by a copy of the scan, and then fails over the two. The
  * copy becomes a plain read of the same snapshot.
  */
object OneRowLevelScan extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) =>
      write.copy(query = withOne(write.query))
    case other => other
  }

  /** The scan of the rows that change comes first: Spark joins what subqueries give to it. */
  private def withOne(plan: LogicalPlan): LogicalPlan =
    plan.children.indexWhere(_.exists(RowLevelScans.isTarget)) match {
      case -1 => plan
      case first =>
        plan.withNewChildren(plan.children.zipWithIndex.map {
          case (child, place) if place == first => withOne(child)
          case (child, _) => child.transform { case scan: DataSourceV2Relation => plain(scan) }
        })
    }

  private def plain(scan: DataSourceV2Relation): DataSourceV2Relation =
    RowLevelScans.changed(scan).fold(scan)(table => scan.copy(table = table))
}
