package ducklake.spark.extension

import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.ducklake.SchemaOfColumns
import org.apache.spark.sql.types.StructField

/** Gives columns that an INSERT leaves out their defaults, which Spark itself does from 4.1 on. The
  * INSERT has a list of columns, or is a frame that is written by name.
  */
final class FilledInserts(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement
        if insert.userSpecifiedCols.nonEmpty && insert.partitionSpec.isEmpty =>
      val missing = defaults(insert.table, insert.userSpecifiedCols)
      if (missing.isEmpty) insert
      else
        insert.copy(
          userSpecifiedCols = insert.userSpecifiedCols ++ missing.map(_.name),
          query = Project(UnresolvedStar(None) +: missing, insert.query),
        )
    case write: V2WriteCommand if write.isByName && write.query.resolved =>
      val missing = defaults(write.table, write.query.output.map(_.name))
      if (missing.isEmpty) write
      else write.withNewQuery(Project(write.query.output ++ missing, write.query))
  }

  /** Values for the columns that are not there. A column that has no value at all is left to Spark,
    * whose error names it.
    */
  private def defaults(table: LogicalPlan, there: Seq[String]): Seq[NamedExpression] =
    columns(table)
      .filterNot(field => there.exists(session.sessionState.conf.resolver(_, field.name)))
      .flatMap(field => ResolveDefaultColumns.getDefaultValueExprOrNullLit(field, field.nullable))

  private def columns(table: LogicalPlan): Seq[StructField] = table match {
    case relation: UnresolvedRelation =>
      onDriver {
        tables
          .located(relation.multipartIdentifier.toVector)
          .map { case (lake, ident) => SchemaOfColumns.of(lake.loadTable(ident).columns()).fields }
          .fold(Seq.empty[StructField])(_.toSeq)
      }
    case _ => Nil
  }
}

object FilledInserts {

  /** Adds the rule. */
  def addTo(extensions: SparkSessionExtensions): Unit =
    extensions.injectHintResolutionRule(session => new FilledInserts(session))
}
