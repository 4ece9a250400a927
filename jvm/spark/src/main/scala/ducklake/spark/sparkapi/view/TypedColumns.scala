package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.IsNotNull
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.OuterReference
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.SetOperation
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import java.util.Locale

/** A table that knows which of its columns have another type in Spark than in the lake. */
private[spark] trait HasOtherTypes {

  /** Columns whose values compare, sort or print differently in Spark: an INTERVAL is a text, for
    * instance.
    */
  def convertedColumns: Set[String]

  /** Columns of unsigned integers, which are signed in Spark. */
  def unsignedColumns: Set[String]
}

/** The attributes of an analyzed plan that hold values of these columns. */
private[view] object TypedColumns {

  def in(plan: LogicalPlan)(columns: HasOtherTypes => Set[String]): Set[ExprId] = {
    val plans = allPlans(plan)
    val ofTables = plans.collect { case relation: DataSourceV2Relation =>
      inTable(relation, columns)
    }
    growing(plans, ofTables.flatten.toSet)
  }

  /** All columns of a table of another source count as columns with another type. */
  private def inTable(
      relation: DataSourceV2Relation,
      columns: HasOtherTypes => Set[String],
  ): Seq[ExprId] =
    relation.table match {
      case known: HasOtherTypes =>
        val names = columns(known).map(_.toLowerCase(Locale.ROOT))
        relation.output.filter(a => names(a.name.toLowerCase(Locale.ROOT))).map(_.exprId)
      case _ => relation.output.map(_.exprId)
    }

  @annotation.tailrec
  private def growing(plans: Vector[LogicalPlan], known: Set[ExprId]): Set[ExprId] = {
    val more = known ++ plans.flatMap(passedOn(plans, _, known))
    if (more.size == known.size) known else growing(plans, more)
  }

  /** The attributes that the plan makes from known ones. */
  private def passedOn(
      plans: Vector[LogicalPlan],
      plan: LogicalPlan,
      known: Set[ExprId],
  ): Seq[ExprId] =
    plan match {
      case union: Union => byPlace(union.children, union, known)
      case operation: SetOperation => byPlace(operation.children, operation, known)
      case reference: CTERelationRef =>
        val definition = plans.collectFirst {
          case found: CTERelationDef if found.id == reference.cteId => found
        }
        byPlace(definition.toSeq, reference, known)
      case other =>
        other.expressions.flatMap(_.collect {
          case alias: Alias if holdsAny(alias.child, known) => alias.exprId
        })
    }

  private def byPlace(from: Seq[LogicalPlan], to: LogicalPlan, known: Set[ExprId]): Seq[ExprId] =
    to.output.zipWithIndex.collect {
      case (attribute, i) if from.exists(_.output.lift(i).exists(a => known(a.exprId))) =>
        attribute.exprId
    }

  /** Whether the expression's value may be the value of a known attribute, or computed from it. */
  def holdsAny(expression: Expression, known: Set[ExprId]): Boolean =
    expression match {
      case _: IsNull | _: IsNotNull | _: Count => false
      case attribute: Attribute => known(attribute.exprId)
      case OuterReference(attribute) => known(attribute.exprId)
      case query: ScalarSubquery => query.plan.output.exists(a => known(a.exprId))
      case other => other.children.exists(holdsAny(_, known))
    }

  /** The plan with subqueries and with the content of other views. */
  private def allPlans(plan: LogicalPlan): Vector[LogicalPlan] = {
    val inside = plan.expressions.flatMap(_.collect { case query: SubqueryExpression =>
      query.plan
    })
    plan +: (plan.children ++ inside).toVector.flatMap(allPlans)
  }
}
