package ducklake.spark.extension

import ducklake.spark.rowlevel.PositionDelta
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.ducklake.ChangedTable

/** Recognises the scan by which a row-level statement finds the rows that it changes. */
private[extension] object RowLevelScans {

  def isOurs(write: WriteDelta): Boolean = write.originalTable match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }

  /** The operation that one of our statements requests for its scan and its write. */
  def operation(write: WriteDelta): Option[PositionDelta] = write.table match {
    case relation: DataSourceV2Relation =>
      ChangedTable.operation(relation.table).collect { case delta: PositionDelta => delta }
    case _ => None
  }

  def isTarget(plan: LogicalPlan): Boolean = targetTable(plan).nonEmpty

  def targetTable(plan: LogicalPlan): Option[DuckLakeTable] = plan match {
    case scan: DataSourceV2Relation =>
      ChangedTable.of(scan.table).collect { case table: DuckLakeTable => table }
    case _ => None
  }
}

/** Keeps only one row-level scan in a row-level statement. When a subquery compares with the target
  * by an operator other than `=`, Spark reads the target's values again by a copy of the scan, and
  * then fails because there are two scans. This rule replaces the copy by a plain read of the same
  * snapshot.
  */
object OneRowLevelScan extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) =>
      write.copy(query = withOneScan(write.query))
    case other => other
  }

  /** Keeps the first scan of the target, which reads the rows to change: Spark joins the results of
    * subqueries to it.
    */
  private def withOneScan(plan: LogicalPlan): LogicalPlan =
    plan.children.indexWhere(_.exists(RowLevelScans.isTarget)) match {
      case -1 => plan
      case first =>
        plan.withNewChildren(plan.children.zipWithIndex.map {
          case (child, index) if index == first => withOneScan(child)
          case (child, _) => child.transform { case scan: DataSourceV2Relation => plainRead(scan) }
        })
    }

  private def plainRead(scan: DataSourceV2Relation): DataSourceV2Relation =
    RowLevelScans.targetTable(scan).fold(scan)(table => scan.copy(table = table))
}
