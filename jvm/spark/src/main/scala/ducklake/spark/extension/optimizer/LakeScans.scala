package ducklake.spark.extension.optimizer

import ducklake.spark.read.DuckLakeScan
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Recognises tables of lakes and their scans in plans. */
private[optimizer] object LakeScans {

  def isTable(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }

  /** The scan of a table by a query; None for scans of row-level statements and for other sources.
    */
  def scanOf(relation: DataSourceV2ScanRelation): Option[DuckLakeScan] = relation.scan match {
    case scan: DuckLakeScan if isTable(relation.relation) => Some(scan)
    case _ => None
  }

  /** Whether Spark makes the same scan again from the table and the plan above it. A scan of only
    * some fields of a struct returns columns of other types than the table.
    */
  def canBeMadeAgain(relation: DataSourceV2ScanRelation): Boolean = {
    val types = relation.relation.output.map(column => column.exprId -> column.dataType).toMap
    scanOf(relation).isDefined &&
    relation.output.forall(column => types.get(column.exprId).contains(column.dataType))
  }
}
