package ducklake.spark.extension.merge

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Makes row-level statements find a table with CHAR or VARCHAR columns. Spark puts a projection that
  * pads CHAR columns over the table of a statement, and then may not know the table any more: Spark
  * 4.0 fails in each DELETE, newer versions in a DELETE of all rows. Spark 4.0 also compares the
  * lengths in a MERGE that only inserts once more, where they are already lost, and pads nothing in
  * an UPDATE or another MERGE.
  *
  * The padding goes into the expressions of the statement. The lengths of new values are checked
  * before, so from here on the columns of the table are plain texts.
  */
object PaddedTargets extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delete: DeleteFromTable =>
      Target.of(delete.table).fold[LogicalPlan](delete) { target =>
        target.seenBy(delete.withNewChildren(Seq(target.plan)))
      }
    case update: UpdateTable =>
      Target.of(update.table).fold[LogicalPlan](update) { target =>
        target.seenBy(update.withNewChildren(Seq(target.plan)))
      }
    case merge: MergeIntoTable =>
      Target.of(merge.targetTable).fold[LogicalPlan](merge) { target =>
        target.seenBy(merge.withNewChildren(Seq(target.plan, merge.sourceTable)))
      }
  }

  /** A table whose columns are plain texts.
    *
    * @param columns its columns that had a length
    * @param padding of columns that Spark had padded, or would have if it knew their lengths
    */
  private final case class Target(
      plan: LogicalPlan,
      columns: Map[ExprId, Attribute],
      padding: CharPadding,
  ) {

    /** The statement with the padding in its expressions. */
    def seenBy(statement: LogicalPlan): LogicalPlan = statement.mapExpressions(seenBy)

    private def seenBy(expression: Expression): Expression = expression match {
      case Assignment(key, value) if value.semanticEquals(key) =>
        Assignment(column(key), column(value))
      case Assignment(key, named: Alias) if CharVarcharUtils.getRawType(named.metadata).nonEmpty =>
        Assignment(column(key), seenBy(named.child))
      case Assignment(key, value) => Assignment(column(key), seenBy(value))
      case subquery: SubqueryExpression =>
        padding.inSubquery(subquery).mapChildren(column(_))
      case attribute: AttributeReference =>
        padding.in(columns.getOrElse(attribute.exprId, attribute))
      case other => other.mapChildren(seenBy)
    }

    /** The expression with the columns themselves. */
    private def column(expression: Expression): Expression = expression.transform {
      case attribute: AttributeReference =>
        padding.padded
          .get(attribute.exprId)
          .flatMap(_.references.headOption)
          .orElse(columns.get(attribute.exprId))
          .getOrElse(attribute)
    }
  }

  private object Target {

    /** None when it is no table of ours. */
    def of(plan: LogicalPlan): Option[Target] = plan match {
      case alias: SubqueryAlias =>
        of(alias.child).map(target => target.copy(plan = alias.copy(child = target.plan)))
      case Project(list, DuckLakeRelation(relation, _)) =>
        val padded = list.collect { case padding: Alias => padding.exprId -> padding.child }
        Some(plain(relation, CharPadding(padded.toMap)))
      case DuckLakeRelation(relation, table) =>
        Some(plain(relation, CharPadding.of(table, relation.output)))
      case _ => None
    }

    private def plain(relation: DataSourceV2Relation, padding: CharPadding): Target = {
      val output = relation.output.map(CharVarcharUtils.cleanAttrMetadata)
      val columns = relation.output.zip(output).collect {
        case (before, after) if before.metadata != after.metadata => after.exprId -> after
      }
      Target(relation.copy(output = output), columns.toMap, padding)
    }
  }

  private object DuckLakeRelation {
    def unapply(plan: LogicalPlan): Option[(DataSourceV2Relation, DuckLakeTable)] = plan match {
      case relation: DataSourceV2Relation =>
        relation.table match {
          case table: DuckLakeTable => Some((relation, table))
          case _ => None
        }
      case _ => None
    }
  }
}
