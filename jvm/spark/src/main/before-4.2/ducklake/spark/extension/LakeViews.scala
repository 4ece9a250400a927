package ducklake.spark.extension

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.table.Relations
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable
import org.apache.spark.sql.catalyst.plans.logical.DescribeRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable
import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.DescribeQueryCommand

/** Reads and describes views of lakes, which Spark itself does from 4.2 on. The name of a view is
  * replaced by its analysed text: Spark would resolve the names in an unresolved text by the
  * caller's catalog.
  */
final class LakeViews(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(LakeViews.target(_).foreach(refuse))
    plan.resolveOperators {
      case relation: UnresolvedRelation if !relation.isStreaming =>
        rows(relation.multipartIdentifier.toVector).getOrElse(relation)
      case describe @ DescribeRelation(named: UnresolvedTableOrView, _, false, _) =>
        rows(named.multipartIdentifier.toVector).fold[LogicalPlan](describe) { view =>
          DescribeQueryCommand("", view)
        }
    }
  }

  private def refuse(target: LogicalPlan): Unit =
    target.foreach {
      case relation: UnresolvedRelation
          if tables.locatedView(relation.multipartIdentifier.toVector).isDefined =>
        Refusals.refuse(
          s"Writing to the view `${relation.multipartIdentifier.mkString(".")}`",
          "Views are only read: write to the tables that it reads.",
        )
      case _ => ()
    }

  private def rows(name: Vector[String]): Option[LogicalPlan] = onDriver {
    for {
      (lake, ident) <- tables.locatedView(name)
      view <- new Relations(lake.lakeOfSession).analysedView(ident)
    } yield {
      val full = (lake.name() +: ident.namespace().toVector) :+ ident.name()
      SubqueryAlias(full, View(LakeViews.described(full, view.rows), isTempView = false, view.rows))
    }
  }
}

object LakeViews {

  /** The target of a row-level statement. */
  private def target(statement: LogicalPlan): Option[LogicalPlan] = statement match {
    case delete: DeleteFromTable => Some(delete.table)
    case update: UpdateTable => Some(update.table)
    case merge: MergeIntoTable => Some(merge.targetTable)
    case _ => None
  }

  /** A view as Spark describes it. The node of a view marks where its text ends. */
  private def described(name: Vector[String], rows: LogicalPlan): CatalogTable =
    CatalogTable(
      TableIdentifier(name.last, Some(name(name.length - 2)), Some(name.head)),
      CatalogTableType.VIEW,
      CatalogStorageFormat.empty,
      rows.schema,
    )

  /** Adds the rules for views, and for what Spark has with views from 4.2 on. */
  def addTo(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(session => new LakeViews(session))
    extensions.injectHintResolutionRule(session => new ViewStatements(session))
    extensions.injectHintResolutionRule(session => new LaterTypes(session))
  }
}
