package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedHaving
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.NaturalJoin
import org.apache.spark.sql.catalyst.plans.UsingJoin
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Sort

import java.util.Locale

/** Names and `*` that stand for other columns in DuckDB than in Spark.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_foreign_views.py.
  */
private[view] object SharedNames {

  def doubtIn(plans: Vector[LogicalPlan]): Option[String] = {
    val aliases = plans
      .flatMap(_.expressions)
      .flatMap(_.collect { case alias: Alias =>
        alias.name.toLowerCase(Locale.ROOT)
      })
    val hasStar = plans.exists(_.expressions.exists(_.exists(_.isInstanceOf[UnresolvedStar])))
    plans.collectFirst {
      case join: Join if hasStar && joinsByName(join) => "* above a join by the columns' names"
      case sort: Sort if sort.order.exists(computesWith(_, aliases.toSet)) =>
        "ORDER BY an expression over the name of a result's column"
      case plan if conditionsWithin(plan).exists(_.exists(isOneOf(_, aliases.toSet))) =>
        "a subquery's condition over the name of a result's column"
    }
  }

  /** The conditions and groups of the plan's subqueries. There an alias is the subquery's own
    * column in DuckDB, and may be a column of the outer query in Spark.
    */
  private def conditionsWithin(plan: LogicalPlan): Seq[Expression] =
    for {
      query <- plan.expressions.flatMap(_.collect { case query: SubqueryExpression => query })
      part <- query.plan.collect { case part @ (_: Filter | _: Aggregate | _: UnresolvedHaving) =>
        part
      }
      condition <- part match {
        case aggregate: Aggregate => aggregate.groupingExpressions
        case other => other.expressions
      }
    } yield condition

  /** DuckDB returns the columns in the order of the left table; Spark returns the common columns
    * first.
    */
  private def joinsByName(join: Join): Boolean =
    join.joinType match {
      case _: UsingJoin | _: NaturalJoin => true
      case _ => false
    }

  /** An alias within an expression of ORDER BY is the table's column in DuckDB, if the table has a
    * column of that name, and the result's column in Spark.
    */
  private def computesWith(order: SortOrder, aliases: Set[String]): Boolean =
    order.child match {
      case _: UnresolvedAttribute => false
      case other => other.exists(isOneOf(_, aliases))
    }

  private def isOneOf(expression: Expression, names: Set[String]): Boolean =
    expression match {
      case UnresolvedAttribute(Seq(name)) => names(name.toLowerCase(Locale.ROOT))
      case _ => false
    }

  /** Two columns of one name: DuckDB adds a number to the second. */
  def repeatedIn(columns: Seq[String]): Option[String] =
    columns
      .groupBy(_.toLowerCase(Locale.ROOT))
      .collectFirst { case (_, Seq(name, _, _*)) => s"two columns $name" }
}
