package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.analysis.UnresolvedHaving
import org.apache.spark.sql.catalyst.analysis.UnresolvedInlineTable
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.expressions.Add
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.Ascending
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
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.Average
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Distinct
import org.apache.spark.sql.catalyst.plans.logical.Except
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit
import org.apache.spark.sql.catalyst.plans.logical.Intersect
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Offset
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith
import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType

import java.util.Locale

/** Whether a text of another engine surely means in Spark what it means there. Spark parses much that
  * it understands in another way: `l[1]` is the second element, `2 ^ 3` is 1, `CAST(1.5 AS INT)` is 1,
  * and ORDER BY puts NULL first. So only what is known to be the same is let through.
  *
  * Source: DuckDB 1.5.5, observed.
  */
private[view] object SharedMeaning {

  /** What may mean something else, by the text as Spark parses it. None when all is the same. */
  def doubtIn(parsed: LogicalPlan, text: String): Option[String] =
    plansOf(parsed)
      .collectFirst { case plan if !isShared(plan) => plan.nodeName }
      .orElse(expressionsOf(parsed).collectFirst { case each if !isShared(each) => shown(each) })
      .orElse(
        Option.when(sortsOfSpark(parsed) > nullsFirst(text))("ORDER BY without NULLS FIRST or LAST")
      )

  /** What may mean something else, by the types that Spark found. None when all is the same. */
  def doubtInTypes(analyzed: LogicalPlan): Option[String] =
    expressionsOf(analyzed).collectFirst { case each if !hasSharedTypes(each) => shown(each) }

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
      case _: UnresolvedRelation | _: UnresolvedInlineTable | _: OneRowRelation => true
      case _: SubqueryAlias | _: UnresolvedSubqueryColumnAliases | _: UnresolvedWith => true
      case _ => false
    }

  private def isShared(expression: Expression): Boolean =
    expression match {
      case _: UnresolvedAttribute | _: UnresolvedStar | _: UnresolvedAlias | _: Alias => true
      case _: Literal | _: Cast | _: CaseWhen => true
      case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull => true
      case _: BinaryComparison | _: In => true
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
    "floor",
    "ceil",
    "upper",
    "lower",
    "length",
    "replace",
    "row_number",
    "rank",
    "dense_rank",
  )

  /** Casts to narrower numbers round in one engine and cut in the other, and most texts of values are
    * not the same. Decimals are divided as decimals in one engine, and as DOUBLE in the other; lists
    * are joined with NULL in another way.
    */
  private def hasSharedTypes(expression: Expression): Boolean =
    expression match {
      case cast: Cast if cast.getTagValue(Cast.USER_SPECIFIED_CAST).isDefined =>
        isSharedCast(cast.child, cast.dataType)
      case concat: Concat => !concat.dataType.isInstanceOf[ArrayType]
      case divide: Divide => !divide.dataType.isInstanceOf[DecimalType]
      case aggregate: AggregateExpression =>
        aggregate.aggregateFunction match {
          case average: Average => !average.child.dataType.isInstanceOf[DecimalType]
          case _ => true
        }
      case _ => true
    }

  private def isSharedCast(child: Expression, to: DataType): Boolean =
    (child.dataType, to) match {
      case (from, to) if from == to => true
      case (ByteType | ShortType | IntegerType | LongType | DateType, _: StringType) => true
      case (_, _: StringType) => false
      case (_: StringType, _) => child.isInstanceOf[Literal]
      case (from, to) => Cast.canUpCast(from, to)
    }

  /** Sorts that put NULL first, as Spark does by default and DuckDB does not. */
  private def sortsOfSpark(plan: LogicalPlan): Int =
    expressionsOf(plan).count {
      case SortOrder(_, Ascending, NullsFirst, _) => true
      case _ => false
    }

  private def nullsFirst(text: String): Int = "(?i)\\bnulls\\s+first\\b".r.findAllIn(text).size

  /** The plan with its subqueries, but without what is in other views. */
  private def plansOf(plan: LogicalPlan): Vector[LogicalPlan] = {
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
    plansOf(plan).flatMap(_.expressions).flatMap(_.collect { case each => each })
}
