package ducklake.spark.extension.retry

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.ConfigKey
import ducklake.spark.session.LakeCatalog
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.CompoundBody
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression
import org.apache.spark.sql.catalyst.plans.logical.SingleStatement
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable
import org.apache.spark.sql.catalyst.trees.TreePattern.PARAMETER
import org.apache.spark.sql.classic

import scala.util.Success
import scala.util.Try

/** Makes parsed statements run again after a conflict, when `retry.statement-count` of the catalog
  * of their table is set (jvm/docs/conflicts.md).
  */
private[spark] object StatementRetries {

  /** The statement itself, or a command that runs it, again if necessary; in a SQL script each of
    * its statements, but for those of handlers.
    *
    * @param catalogOf the catalog of a table's name; None when the table is not in a lake
    */
  def around(
      plan: LogicalPlan,
      session: classic.SparkSession,
      catalogOf: Vector[String] => Option[String],
  ): LogicalPlan = plan match {
    case script: CompoundBody =>
      script.transform { case one: SingleStatement =>
        one.copy(parsedPlan = ofOne(one.parsedPlan, session, catalogOf))
      }
    case one => ofOne(one, session, catalogOf)
  }

  private def ofOne(
      plan: LogicalPlan,
      session: classic.SparkSession,
      catalogOf: Vector[String] => Option[String],
  ): LogicalPlan =
    retries(plan, session, catalogOf)
      .filterNot(_ => hasParameters(plan))
      .fold(plan)(RetriedStatement(plan, _))

  /** As [[around]] for a statement with parameters.
    *
    * @param query the statement with their values
    */
  private[retry] def around(
      query: LogicalPlan,
      statement: LogicalPlan,
      session: classic.SparkSession,
      catalogOf: Vector[String] => Option[String],
  ): LogicalPlan =
    retries(statement, session, catalogOf).fold(query)(RetriedStatement(query, _))

  /** How often the statement runs again; None when it does not. */
  private def retries(
      statement: LogicalPlan,
      session: classic.SparkSession,
      catalogOf: Vector[String] => Option[String],
  ): Option[Int] =
    target(statement).flatMap(catalogOf).map(count(_, session)).filter(_ > 0)

  /** Statements that may conflict with rows of others. */
  private def target(plan: LogicalPlan): Option[Vector[String]] = plan match {
    case delete: DeleteFromTable => name(delete.table)
    case update: UpdateTable => name(update.table)
    case merge: MergeIntoTable => name(merge.targetTable)
    case insert: InsertIntoStatement if insert.overwrite => name(insert.table)
    case overwrite: OverwriteByExpression => name(overwrite.table)
    case named: UnresolvedWith => target(named.child)
    case _ => None
  }

  private def name(table: LogicalPlan): Option[Vector[String]] = table match {
    case alias: SubqueryAlias => name(alias.child)
    case relation: UnresolvedRelation => Some(relation.multipartIdentifier.toVector)
    case _ => None
  }

  /** Refuses the setting when no extension can run statements again. Errors: InvalidSetting. */
  private[spark] def check(config: CatalogConfig): Unit =
    if (config.statementRetries > 0 && !isExtended)
      throw new LakeException(
        LakeError.InvalidSetting(
          ConfigKey.RetryStatementCount.name,
          "is set, and the session has no extension that runs statements again",
          s"Set `spark.sql.extensions` to `$Extension`.",
        )
      )

  private def isExtended: Boolean =
    SessionSettings
      .text("spark.sql.extensions")
      .exists(_.split(',').map(_.trim).contains(Extension))

  private val Extension = "ducklake.spark.DuckLakeExtensions"

  /** A catalog that cannot be loaded ends the statement when it is analysed, with the reason. */
  private def count(catalog: String, session: classic.SparkSession): Int =
    Try(session.sessionState.catalogManager.catalog(catalog)) match {
      case Success(lake: LakeCatalog) => lake.lakeOfSession.config.statementRetries
      case _ => 0
    }

  /** Whether the statement still has parameters without values. Spark replaces them before it
    * parses, unless a setting says otherwise. A WITH does not count the queries of its names among
    * its children.
    */
  private def hasParameters(plan: LogicalPlan): Boolean =
    plan.containsPattern(PARAMETER) || plan
      .collectWithSubqueries { case names: UnresolvedWith => names.innerChildren }
      .flatten
      .exists {
        case query: LogicalPlan => hasParameters(query)
        case _ => false
      }
}
