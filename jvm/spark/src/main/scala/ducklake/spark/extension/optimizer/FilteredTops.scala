package ducklake.spark.extension.optimizer

import org.apache.spark.sql.catalyst.expressions
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeMap
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.IntegerLiteral
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NullOrdering
import org.apache.spark.sql.connector.expressions.SortDirection
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Asks a scan for the first rows of an order, where filters stand between the order and the scan.
  *
  * Spark asks only scans without filters of its own, and keeps all filters of a lake's scan. The
  * scan leaves out files all the same when bounds decide the filters for whole files.
  *
  * Source: ours, decision 34.
  */
object FilteredTops extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    val changed = plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
      case limit @ LocalLimit(IntegerLiteral(count), rows) =>
        limit.withNewChildren(Seq(first(rows, count)))
    }
    if (changed.fastEquals(plan)) Nil else Seq(planLater(changed))
  }

  private def first(rows: LogicalPlan, count: Int): LogicalPlan =
    rows match {
      case project @ Project(_, sort: Sort) => project.withNewChildren(Seq(first(sort, count)))
      case sort @ Sort(orders, true, PhysicalOperation(projects, filters, old), _) =>
        old match {
          case relation: DataSourceV2ScanRelation if filters.nonEmpty =>
            scanOf(relation, filters, translated(orders, projects, relation), count).fold(rows) {
              better =>
                sort.transform { case same: DataSourceV2ScanRelation if same eq relation => better }
            }
          case _ => rows
        }
      case _ => rows
    }

  /** The scan of the first rows; None when the catalog cannot decide the order or a filter. */
  private def scanOf(
      relation: DataSourceV2ScanRelation,
      filters: Seq[Expression],
      orders: Vector[Option[SortOrder]],
      count: Int,
  ): Option[LogicalPlan] =
    for {
      scan <- LakeScans.scanOf(relation)
      predicates <- LakeScans.decidable(filters, scan)
      better <- scan.first(predicates, orders, count)
    } yield LakeScans.replaced(relation, scan, better)

  /** The keys with the names of the scan's columns; None for a key that is computed above the scan.
    */
  private def translated(
      orders: Seq[expressions.SortOrder],
      projects: Seq[NamedExpression],
      scan: LogicalPlan,
  ): Vector[Option[SortOrder]] = {
    val sources = AttributeMap(projects.collect { case alias @ Alias(source: Attribute, _) =>
      alias.toAttribute -> source
    })
    orders.toVector.map { order =>
      val key = order.child.transform { case column: Attribute =>
        sources.getOrElse(column, column)
      }
      val direction = order.direction match {
        case expressions.Ascending => SortDirection.ASCENDING
        case expressions.Descending => SortDirection.DESCENDING
      }
      val nulls = order.nullOrdering match {
        case expressions.NullsFirst => NullOrdering.NULLS_FIRST
        case expressions.NullsLast => NullOrdering.NULLS_LAST
      }
      Some(key)
        .filter(_.references.subsetOf(scan.outputSet))
        .flatMap(new V2ExpressionBuilder(_).build())
        .map(Expressions.sort(_, direction, nulls))
    }
  }
}
