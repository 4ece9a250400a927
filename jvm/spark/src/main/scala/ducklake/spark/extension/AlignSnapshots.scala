package ducklake.spark.extension

import ducklake.catalog.LakeSettings
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Makes a query read all tables of one lake at one snapshot. Of the snapshots at which the tables
  * were loaded, it is the newest at which each table has the columns that it was analysed with.
  *
  * Spark loads tables one after another and loads them again just before planning; this rule runs
  * after that. Relations with time travel keep their snapshots.
  */
object AlignSnapshots extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val tables = plan.collectWithSubqueries { case relation: DataSourceV2Relation =>
      current(relation)
    }.flatten
    val snapshots = tables.groupBy(_.session.config.lake).collect {
      case (lake, group) if group.map(_.snapshot.snapshot.id).distinct.length > 1 =>
        lake -> onDriver(commonSnapshot(group))
    }
    if (snapshots.isEmpty) plan else align(plan, snapshots)
  }

  private def align(plan: LogicalPlan, snapshots: Map[LakeSettings, LakeSnapshot]): LogicalPlan =
    plan.transformUpWithSubqueries { case relation: DataSourceV2Relation =>
      val aligned = for {
        table <- current(relation)
        snapshot <- snapshots.get(table.session.config.lake)
        moved <- table.at(snapshot)
      } yield relation.copy(table = new DuckLakeTable(moved))
      aligned.getOrElse(relation)
    }

  /** The newest of the tables' snapshots at which all tables have their columns. Errors:
    * ConcurrentChange when there is none.
    */
  private def commonSnapshot(tables: Seq[TableAtSnapshot]): LakeSnapshot = {
    val snapshots = tables.map(_.snapshot).distinctBy(_.snapshot.id).sortBy(-_.snapshot.id.value)
    snapshots.find(s => tables.forall(_.at(s).isDefined)).getOrElse {
      SparkErrors.raise(
        LakeError.ConcurrentChange(tables.map(_.name).distinct.sorted.mkString(", "))
      )
    }
  }

  /** The lake table that a relation reads; None when the query names a snapshot for it. */
  private def current(relation: DataSourceV2Relation): Option[TableAtSnapshot] =
    relation.table match {
      case table: DuckLakeTable if relation.timeTravelSpec.isEmpty => Some(table.at)
      case _ => None
    }
}
