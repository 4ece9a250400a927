package ducklake.spark.extension

import ducklake.spark.read.MetadataColumns
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeAction
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses UPDATE and MERGE that assign to a hidden column, because Spark silently drops the
  * assignment when it resolves the statement. So this rule runs before, and again for a target in
  * IDENTIFIER(…), which has its name only then. Spark 4.0 has the values of parameters around the
  * statement.
  */
final class AssignedHiddenColumns(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case update: UpdateTable => check("UPDATE", update.table, update.assignments)
      case merge: MergeIntoTable =>
        val assignments = actions(merge).flatMap(_.children).collect {
          case assignment: Assignment => assignment
        }
        check("MERGE", merge.targetTable, assignments)
      case _ => ()
    }
    plan
  }

  private def actions(merge: MergeIntoTable): Seq[MergeAction] =
    merge.matchedActions ++ merge.notMatchedActions ++ merge.notMatchedBySourceActions

  private def check(command: String, target: LogicalPlan, assignments: Seq[Assignment]): Unit = {
    val hidden = assignments.map(_.key).collect {
      case key: UnresolvedAttribute if MetadataColumns.find(key.nameParts.last).isDefined =>
        key.nameParts
    }
    if (hidden.nonEmpty)
      relation(target).flatMap(existing).foreach { table =>
        val columns = table.columns().map(_.name)
        hidden
          .find(parts => !parts.exists(part => columns.exists(_.equalsIgnoreCase(part))))
          .foreach { parts =>
            Refusals.refuse(
              s"$command of ${table.name()} that sets the hidden column `${parts.last}`",
              "Hidden columns can only be read.",
            )
          }
      }
  }

  private def relation(target: LogicalPlan): Option[Vector[String]] = target match {
    case alias: SubqueryAlias => relation(alias.child)
    case unresolved: UnresolvedRelation => Some(unresolved.multipartIdentifier.toVector)
    case _ => None
  }

  private def existing(name: Vector[String]): Option[DuckLakeTable] =
    tables
      .located(name)
      .map { case (lake, ident) => lake.loadTable(ident) }
      .collect { case table: DuckLakeTable => table }
}
