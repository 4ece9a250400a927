package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses MERGE WITH SCHEMA EVOLUTION into a lake. Spark 4.0 parses the clause and ignores it: the
  * values of new columns would be lost. The rule runs twice: a target in IDENTIFIER(…) has its name
  * only once Spark resolves the statement.
  */
final class EvolvingMerge(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case merge: MergeIntoTable if merge.withSchemaEvolution => check(merge.targetTable)
      case _ => ()
    }
    plan
  }

  private def check(target: LogicalPlan): Unit =
    target.foreach {
      case relation: UnresolvedRelation
          if tables.find(relation.multipartIdentifier.toVector).isDefined =>
        Refusals.refuse(
          s"MERGE WITH SCHEMA EVOLUTION INTO `${relation.multipartIdentifier.mkString(".")}`",
          "Spark 4.0 does not add the columns. Add them by ALTER TABLE before the MERGE, or use " +
            "Spark 4.1 or newer.",
        )
      case _ => ()
    }
}

object EvolvingMerge {

  /** Adds the rule. */
  def addTo(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(session => new EvolvingMerge(session))
    extensions.injectResolutionRule(session => new EvolvingMerge(session))
  }
}
