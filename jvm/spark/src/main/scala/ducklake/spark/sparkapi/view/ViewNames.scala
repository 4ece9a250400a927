package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.analysis.RelationTimeTravel
import org.apache.spark.sql.catalyst.analysis.Star
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith
import org.apache.spark.sql.classic.SparkSession

import java.util.Locale

/** The tables and views that a view's text names. */
private[spark] object ViewNames {

  /** A parsed name and its range in the text: `from` inclusive, `end` exclusive. */
  final case class Mention(parts: Vector[String], from: Int, end: Int)

  /** All names except those that the text's own WITH clauses define, in the order of the text.
    *
    * Throws Spark's ParseException.
    */
  def of(text: String): Vector[Mention] = {
    val plan = SparkSession.active.sessionState.sqlParser.parsePlan(text)
    val own = collected(plan) { case clause: UnresolvedWith =>
      clause.cteRelations.map(_._1.toLowerCase(Locale.ROOT))
    }.flatten.toSet
    val mentions = collected(plan) { case relation: UnresolvedRelation =>
      val parts = relation.multipartIdentifier.toVector
      for {
        from <- relation.origin.startIndex
        to <- relation.origin.stopIndex
      } yield Mention(parts, from, to + 1)
    }.flatten
    mentions
      .filterNot(m => m.parts.length == 1 && own(m.parts.head.toLowerCase(Locale.ROOT)))
      .distinct
      .sortBy(_.from)
      .toVector
  }

  /** The part of the text that runs a program, see [[ProgramsInViews]]. Throws Spark's
    * ParseException.
    */
  def programIn(text: String): Option[String] =
    ProgramsInViews.in(SparkSession.active.sessionState.sqlParser.parsePlan(text))

  /** Whether the columns of the text, or their order, are those of a table: it selects `*`, or the
    * table itself. Throws Spark's ParseException.
    */
  def followsTables(text: String): Boolean =
    follows(SparkSession.active.sessionState.sqlParser.parsePlan(text))

  private def follows(plan: LogicalPlan): Boolean = plan match {
    case project: Project => project.projectList.exists(_.isInstanceOf[Star])
    case aggregate: Aggregate => aggregate.aggregateExpressions.exists(_.isInstanceOf[Star])
    case _: UnresolvedRelation => true
    case other => other.children.exists(follows)
  }

  /** Whether the session has a catalog of this name. */
  def isCatalog(name: String): Boolean =
    SparkSession.active.sessionState.catalogManager.isCatalogRegistered(name)

  private def collected[A](plan: LogicalPlan)(pick: PartialFunction[LogicalPlan, A]): Seq[A] = {
    val inWith = plan.collectWithSubqueries { case clause: UnresolvedWith =>
      clause.cteRelations.flatMap(named => collected(named._2)(pick))
    }.flatten
    // Spark's own traversal does not visit the plans inside these two nodes.
    val inTimeTravel = plan.collectWithSubqueries { case travel: RelationTimeTravel =>
      collected(travel.relation)(pick)
    }.flatten
    plan.collectWithSubqueries(pick) ++ inWith ++ inTimeTravel
  }
}
