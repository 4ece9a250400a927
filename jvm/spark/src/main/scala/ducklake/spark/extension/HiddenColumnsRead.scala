package ducklake.spark.extension

import ducklake.spark.read.MetadataColumns
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.Unevaluable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.DataType

/** Stands for a hidden column of the target of a MERGE until Spark has rewritten the statement. */
private[extension] final case class HiddenColumn(column: Attribute)
    extends LeafExpression
    with Unevaluable {
  override def dataType: DataType = column.dataType
  override def nullable: Boolean = column.nullable
}

/** Replaces the hidden columns that a MERGE reads by [[HiddenColumn]]. Otherwise Spark would turn
  * all hidden columns of the target into plain columns, and then fail to make rows of them.
  */
object HiddenColumnsOfMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable if merge.resolved =>
      target(merge.targetTable).fold[LogicalPlan](merge) { relation =>
        merge.transformExpressions {
          case read: Attribute if relation.metadataOutput.exists(_.exprId == read.exprId) =>
            HiddenColumn(read)
        }
      }
  }

  private def target(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case alias: SubqueryAlias => target(alias.child)
    case found: DataSourceV2Relation if found.table.isInstanceOf[DuckLakeTable] => Some(found)
    case _ => None
  }
}

/** Lets row-level statements read hidden columns. Spark rewrites these statements to scan only the
  * hidden columns that the row-level operation needs. This rule adds to the scan the hidden columns
  * that only conditions and values of the statement read.
  */
object HiddenColumnsRead extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) =>
      GroupFilter.removed(write).copy(query = withHiddenColumns(write.query))
    case other => other
  }

  private def withHiddenColumns(query: LogicalPlan): LogicalPlan =
    query
      .transformAllExpressions { case HiddenColumn(column) => column }
      .transformUp { case node =>
        val missing = node.missingInput.filter(a => MetadataColumns.find(a.name).isDefined).toSeq
        if (missing.isEmpty) node else node.mapChildren(withColumns(_, missing))
      }

  /** The plan with these columns of the target's scan added to its output. */
  private def withColumns(plan: LogicalPlan, columns: Seq[Attribute]): LogicalPlan = plan match {
    case scan: DataSourceV2Relation if RowLevelScans.isTarget(scan) =>
      val attributes = columns.collect { case column: AttributeReference => column }
      scan.copy(output = scan.output ++ attributes.filterNot(scan.outputSet.contains))
    case project: Project if project.exists(RowLevelScans.isTarget) =>
      val added = columns.filterNot(project.outputSet.contains)
      Project(project.projectList ++ added, withColumns(project.child, columns))
    case other => other.mapChildren(withColumns(_, columns))
  }
}
