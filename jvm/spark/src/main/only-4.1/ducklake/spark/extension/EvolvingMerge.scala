package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ExplainCommand

/** Refuses EXPLAIN of a MERGE WITH SCHEMA EVOLUTION into a lake. Spark 4.1 adds the columns while it
  * analyses the statement, also when the statement is only explained; the catalog cannot tell the
  * two apart.
  */
final class EvolvingMerge(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case explain: ExplainCommand =>
        explain.logicalPlan.foreach {
          case merge: MergeIntoTable if merge.withSchemaEvolution => check(merge.targetTable)
          case _ => ()
        }
      case _ => ()
    }
    plan
  }

  private def check(target: LogicalPlan): Unit =
    target
      .collectFirst(name)
      .flatten
      .filter(tables.find(_).isDefined)
      .foreach { table =>
        Refusals.refuse(
          s"EXPLAIN of MERGE WITH SCHEMA EVOLUTION INTO `${table.mkString(".")}`",
          "Spark would change columns. Explain the statement without these words.",
        )
      }

  private val name: PartialFunction[LogicalPlan, Option[Vector[String]]] = {
    case relation: UnresolvedRelation => Some(relation.multipartIdentifier.toVector)
    case named: PlanWithUnresolvedIdentifier => nameIn(named.identifierExpr)
  }

  /** The name in IDENTIFIER(…); None when it has to be resolved. */
  private def nameIn(text: Expression): Option[Vector[String]] =
    Option
      .when(text.resolved && text.foldable)(text.eval())
      .map(name => session.sessionState.sqlParser.parseMultipartIdentifier(name.toString).toVector)
}

object EvolvingMerge {

  /** Adds the rule. */
  def addTo(extensions: SparkSessionExtensions): Unit =
    extensions.injectHintResolutionRule(session => new EvolvingMerge(session))
}
