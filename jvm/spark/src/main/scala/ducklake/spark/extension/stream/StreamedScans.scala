package ducklake.spark.extension.stream

import ducklake.spark.streaming.columns.FilteredScan
import ducklake.spark.streaming.columns.PrunedStream
import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.expressions.PredicateHelper
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

/** A batch of a stream reads only the columns that its query needs, and leaves out files and row
  * groups by the query's filters, which stay in the plan. Spark pushes neither into streams. The
  * choice is made for each batch and is no part of the checkpoint, so another query may go on with
  * it. A plan that has the stream twice reads everything.
  *
  * Source: decision 20.
  */
object StreamedScans extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming) plan
    else {
      val sources = plan.collect { case Planned(relation) => PrunedStream.source(relation.stream) }
      val alone =
        sources.flatten.groupBy(identity).collect { case (source, Seq(_)) => source }.toSet
      def less(
          relation: StreamingDataSourceV2ScanRelation,
          needed: AttributeSet,
          filters: Vector[Predicate],
      ): Option[LogicalPlan] =
        PrunedStream.source(relation.stream).filter(alone).flatMap { _ =>
          pruned(relation, needed, filters)
        }
      plan.transform {
        case project @ Project(list, filter @ Filter(condition, Planned(relation))) =>
          val needed = references(list) ++ condition.references
          less(relation, needed, filtersOf(condition)).fold[LogicalPlan](project) { under =>
            project.copy(child = filter.copy(child = under))
          }
        case project @ Project(list, Planned(relation)) =>
          val filters = PrunedStream.filters(relation.stream)
          less(relation, references(list), filters).fold[LogicalPlan](project) { under =>
            project.copy(child = under)
          }
        case filter @ Filter(condition, Planned(relation)) =>
          less(relation, relation.outputSet, filtersOf(condition)).fold[LogicalPlan](filter) {
            under => filter.copy(child = under)
          }
      }
    }

  private def references(list: Seq[NamedExpression]): AttributeSet =
    AttributeSet.fromAttributeSets(list.map(_.references))

  private def filtersOf(condition: Expression): Vector[Predicate] =
    splitConjunctivePredicates(condition).toVector
      .filter(part => part.deterministic && !SubqueryExpression.hasSubquery(part))
      .flatMap(new V2ExpressionBuilder(_, isPredicate = true).buildPredicate())

  /** None when the relation reads no more than that, or when columns are needed that the stream has
    * not.
    */
  private def pruned(
      relation: StreamingDataSourceV2ScanRelation,
      needed: AttributeSet,
      filters: Vector[Predicate],
  ): Option[LogicalPlan] = {
    val positions = relation.output.toVector.zipWithIndex.collect {
      case (column, position) if needed.contains(column) => position
    }
    val isLess =
      positions.size < relation.output.size || filters != PrunedStream.filters(relation.stream)
    Option
      .when(isLess)(positions)
      .flatMap(PrunedStream.of(relation.stream, _, filters))
      .map { stream =>
        val scan = FilteredScan.of(relation.scan, filters)
        relation.copy(output = positions.map(relation.output), scan = scan, stream = stream)
      }
  }

  /** A stream in the plan of a batch. */
  private object Planned {
    def unapply(plan: LogicalPlan): Option[StreamingDataSourceV2ScanRelation] = plan match {
      case relation: StreamingDataSourceV2ScanRelation if relation.endOffset.isDefined =>
        Some(relation)
      case _ => None
    }
  }
}
