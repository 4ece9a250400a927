package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedNamespace
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView
import org.apache.spark.sql.catalyst.analysis.UnresolvedView
import org.apache.spark.sql.catalyst.plans.logical.AlterViewAs
import org.apache.spark.sql.catalyst.plans.logical.CreateView
import org.apache.spark.sql.catalyst.plans.logical.DropView
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.RenameTable
import org.apache.spark.sql.catalyst.plans.logical.SetViewProperties
import org.apache.spark.sql.catalyst.plans.logical.ShowViews
import org.apache.spark.sql.catalyst.plans.logical.UnsetViewProperties
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses statements that make, change, drop or list views of a lake. Spark has views of catalogs
  * from 4.2 on.
  */
final class ViewStatements(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case create: CreateView => refuse("CREATE VIEW", create.child)
      case drop: DropView => refuse("DROP VIEW", drop.child)
      case change: AlterViewAs => refuse("ALTER VIEW", change.child)
      case change: SetViewProperties => refuse("ALTER VIEW", change.child)
      case change: UnsetViewProperties => refuse("ALTER VIEW", change.child)
      case rename: RenameTable if rename.isView => refuse("ALTER VIEW", rename.child)
      case show: ShowViews => refuseList(show.namespace)
      case _ => ()
    }
    plan
  }

  private def refuse(statement: String, view: LogicalPlan): Unit =
    nameOf(view).map(_.toVector).filter(tables.isInLake).foreach { name =>
      Refusals.refuse(s"$statement `${name.mkString(".")}`", ViewStatements.Hint)
    }

  private def nameOf(view: LogicalPlan): Option[Seq[String]] = view match {
    case identifier: UnresolvedIdentifier => Some(identifier.nameParts)
    case view: UnresolvedView => Some(view.multipartIdentifier)
    case either: UnresolvedTableOrView => Some(either.multipartIdentifier)
    case _ => None
  }

  private def refuseList(schema: LogicalPlan): Unit = schema match {
    case named: UnresolvedNamespace =>
      tables.find(named.multipartIdentifier.toVector :+ "any").foreach { case (lake, _) =>
        Refusals.refuse(
          s"SHOW VIEWS of lake `$lake`",
          s"Spark 4.2 and newer have it. Read the table `$lake.system.views`.",
        )
      }
    case _ => ()
  }
}

private object ViewStatements {
  val Hint: String =
    "Spark 4.2 and newer make and change views of a lake, and so does DuckDB. Before, Spark only reads " +
      "them."
}
