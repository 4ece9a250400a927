package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.analysis.UnresolvedHaving
import org.apache.spark.sql.catalyst.analysis.UnresolvedOrdinal
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.expressions.Add
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.BinaryComparison
import org.apache.spark.sql.catalyst.expressions.CaseWhen
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Concat
import org.apache.spark.sql.catalyst.expressions.CurrentRow
import org.apache.spark.sql.catalyst.expressions.Divide
import org.apache.spark.sql.catalyst.expressions.Exists
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.InSubquery
import org.apache.spark.sql.catalyst.expressions.IsNotNull
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.Like
import org.apache.spark.sql.catalyst.expressions.ListQuery
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.Multiply
import org.apache.spark.sql.catalyst.expressions.Not
import org.apache.spark.sql.catalyst.expressions.NullsFirst
import org.apache.spark.sql.catalyst.expressions.Or
import org.apache.spark.sql.catalyst.expressions.Remainder
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.expressions.Subtract
import org.apache.spark.sql.catalyst.expressions.UnaryMinus
import org.apache.spark.sql.catalyst.expressions.UnboundedFollowing
import org.apache.spark.sql.catalyst.expressions.UnboundedPreceding
import org.apache.spark.sql.catalyst.expressions.UnspecifiedFrame
import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.catalyst.expressions.WindowSpecDefinition
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Distinct
import org.apache.spark.sql.catalyst.plans.logical.Except
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit
import org.apache.spark.sql.catalyst.plans.logical.Intersect
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Offset
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith
import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.types.StringType

import java.util.Locale

/** Whether a text of DuckDB certainly has the same meaning in Spark. Spark parses many texts with
  * another meaning: `l[1]` is the second element, `2 ^ 3` is 1, `CAST(1.5 AS INT)` is 1, and ORDER
  * BY puts NULL first. So only expressions that are known to be the same are accepted.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_foreign_views.py.
  */
private[view] object SharedMeaning {

  /** The part that may have another meaning, by the text as Spark parses it. None when all is the
    * same.
    *
    * @param text the parsed text
    */
  def doubtIn(parsed: LogicalPlan, text: String): Option[String] = {
    val plans = plansOf(parsed)
    val expressions = plans.flatMap(expressionsOf)
    plans
      .collectFirst { case plan if !isShared(plan) => shown(plan) }
      .orElse(expressions.collectFirst { case each if !isShared(each) => shown(each) })
      .orElse(expressions.collectFirst {
        case order: SortOrder if putsNullFirst(order, text) =>
          "ORDER BY without NULLS FIRST or LAST"
      })
      .orElse(SharedNames.doubtIn(plans))
  }

  /** A macro in place of a function, or a schema that Spark takes for a catalog. None without
    * these.
    */
  def doubtInNames(
      parsed: LogicalPlan,
      foreign: ForeignText,
      isCatalog: String => Boolean,
  ): Option[String] = {
    val plans = plansOf(parsed)
    val macros = foreign.macros.map(_.toLowerCase(Locale.ROOT)).toSet
    plans
      .flatMap(expressionsOf)
      .collectFirst {
        case UnresolvedFunction(Seq(name), _, _, _, _, _, _)
            if macros(name.toLowerCase(Locale.ROOT)) =>
          name
      }
      .orElse(plans.collectFirst {
        case relation: UnresolvedRelation if isElsewhere(relation, foreign, isCatalog) =>
          relation.multipartIdentifier.mkString(".")
      })
  }

  private def isElsewhere(
      relation: UnresolvedRelation,
      foreign: ForeignText,
      isCatalog: String => Boolean,
  ): Boolean =
    relation.multipartIdentifier match {
      case Seq(first, _, _*) => first != foreign.catalog && isCatalog(first)
      case _ => false
    }

  /** The part that may have another meaning, by the types that Spark found. None when all is the
    * same.
    */
  def doubtInTypes(analyzed: LogicalPlan): Option[String] = {
    val types = new SharedTypes(
      TypedColumns.in(analyzed)(_.convertedColumns),
      TypedColumns.in(analyzed)(_.unsignedColumns),
    )
    plansOf(analyzed).flatMap(doubtInTypes(_, types)).headOption.map(_.sql)
  }

  private def doubtInTypes(plan: LogicalPlan, types: SharedTypes): Option[Expression] =
    plan match {
      case project: Project => firstDoubt(project.projectList)(types.doubtInItem)
      case aggregate: Aggregate =>
        firstDoubt(aggregate.groupingExpressions)(types.doubtIn)
          .orElse(firstDoubt(aggregate.aggregateExpressions)(types.doubtInItem))
      case _: Distinct | _: Union | _: Intersect | _: Except =>
        plan.children.flatMap(_.output).find(!types.isComparable(_))
      case filter: Filter => types.doubtInCondition(filter.condition)
      case window: Window =>
        firstDoubt(window.partitionSpec ++ window.orderSpec)(types.doubtIn)
          .orElse(firstDoubt(window.windowExpressions)(types.doubtInItem))
      case _: View | _: LeafNode => None
      case other => firstDoubt(other.expressions)(types.doubtIn)
    }

  private def firstDoubt(in: Seq[Expression])(
      doubt: Expression => Option[Expression]
  ): Option[Expression] = in.flatMap(doubt(_)).headOption

  private def shown(plan: LogicalPlan): String =
    plan match {
      case _: LocalRelation => "VALUES"
      case other => other.nodeName
    }

  private def shown(expression: Expression): String =
    expression match {
      case function: UnresolvedFunction => function.nameParts.mkString(".")
      case other => other.sql
    }

  private def isShared(plan: LogicalPlan): Boolean =
    plan match {
      case _: Project | _: Filter | _: Aggregate | _: UnresolvedHaving | _: Distinct => true
      case _: Sort | _: GlobalLimit | _: LocalLimit | _: Offset => true
      case _: Join | _: Union | _: Intersect | _: Except => true
      case _: UnresolvedRelation | _: OneRowRelation => true
      case _: SubqueryAlias | _: UnresolvedSubqueryColumnAliases => true
      case having: UnresolvedWith => !having.allowRecursion
      case _ => false
    }

  private def isShared(expression: Expression): Boolean =
    expression match {
      case _: UnresolvedAttribute | _: UnresolvedStar | _: UnresolvedAlias | _: Alias => true
      case _: UnresolvedOrdinal => true
      case _: Literal | _: Cast | _: CaseWhen => true
      case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull => true
      case _: BinaryComparison | _: In | _: Like => true
      case _: InSubquery | _: ListQuery | _: ScalarSubquery | _: Exists => true
      case _: Add | _: Subtract | _: Multiply | _: Divide | _: Remainder | _: UnaryMinus => true
      case _: Concat | _: SortOrder => true
      case _: WindowExpression | _: WindowSpecDefinition | UnspecifiedFrame => true
      case _: SpecifiedWindowFrame | UnboundedPreceding | UnboundedFollowing | CurrentRow => true
      case function: UnresolvedFunction => isSharedFunction(function)
      case _ => false
    }

  private def isSharedFunction(function: UnresolvedFunction): Boolean =
    function.nameParts match {
      case Seq(name) =>
        name.toLowerCase(Locale.ROOT) match {
          case "date_part" => function.arguments.headOption.exists(isSharedPart)
          case known => Functions(known)
        }
      case _ => false
    }

  private def isSharedPart(part: Expression): Boolean =
    part match {
      case Literal(name, _: StringType) => Parts(name.toString.toLowerCase(Locale.ROOT))
      case _ => false
    }

  private val Parts = Set("year", "quarter", "month", "day", "hour", "minute")

  private val Functions = Parts ++ Set(
    "between",
    "count",
    "sum",
    "min",
    "max",
    "avg",
    "bool_and",
    "bool_or",
    "count_if",
    "coalesce",
    "nullif",
    "greatest",
    "least",
    "abs",
    "length",
    "replace",
    "row_number",
    "rank",
    "dense_rank",
  )

  /** Whether Spark puts NULL first by its own default, while DuckDB puts it last. */
  private def putsNullFirst(order: SortOrder, text: String): Boolean = {
    val isWritten = for {
      from <- order.origin.startIndex
      to <- order.origin.stopIndex
    } yield text.substring(from, to + 1).toLowerCase(Locale.ROOT).endsWith("nulls first")
    order.nullOrdering == NullsFirst && !isWritten.contains(true)
  }

  /** The plan with its subqueries, but without the content of other views. */
  private[view] def plansOf(plan: LogicalPlan): Vector[LogicalPlan] = {
    val below = plan match {
      case _: View => Vector.empty
      case having: UnresolvedWith => having.cteRelations.map(_._2).toVector :+ having.child
      case other => other.children.toVector
    }
    val inside = plan.expressions.flatMap(_.collect { case query: SubqueryExpression =>
      query.plan
    })
    plan +: (below ++ inside).flatMap(plansOf)
  }

  private def expressionsOf(plan: LogicalPlan): Vector[Expression] =
    plan.expressions.flatMap(_.collect { case each => each }).toVector
}
