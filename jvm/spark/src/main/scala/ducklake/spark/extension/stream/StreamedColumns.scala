package ducklake.spark.extension.stream

import ducklake.spark.streaming.columns.PrunedStream
import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

/** A batch of a stream reads only the columns that its query needs. Spark pushes no columns into
  * streams. The choice is made for each batch and is no part of the checkpoint, so another query may
  * go on with it. A plan that has the stream twice reads all columns.
  *
  * Source: decision 20.
  */
object StreamedColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming) plan
    else {
      val sources = plan.collect { case Planned(relation) => PrunedStream.source(relation.stream) }
      val alone =
        sources.flatten.groupBy(identity).collect { case (source, Seq(_)) => source }.toSet
      def pruned(relation: StreamingDataSourceV2ScanRelation, needed: AttributeSet) =
        PrunedStream.source(relation.stream).filter(alone).flatMap(_ => fewer(relation, needed))
      plan.transform {
        case project @ Project(list, filter @ Filter(condition, Planned(relation))) =>
          val needed = references(list) ++ condition.references
          pruned(relation, needed).fold[LogicalPlan](project) { under =>
            project.copy(child = filter.copy(child = under))
          }
        case project @ Project(list, Planned(relation)) =>
          pruned(relation, references(list)).fold[LogicalPlan](project) { under =>
            project.copy(child = under)
          }
      }
    }

  private def references(list: Seq[NamedExpression]): AttributeSet =
    AttributeSet.fromAttributeSets(list.map(_.references))

  /** None when all columns are needed, or columns that the stream has not. */
  private def fewer(
      relation: StreamingDataSourceV2ScanRelation,
      needed: AttributeSet,
  ): Option[LogicalPlan] = {
    val positions = relation.output.toVector.zipWithIndex.collect {
      case (column, position) if needed.contains(column) => position
    }
    Option
      .when(positions.size < relation.output.size)(positions)
      .flatMap(PrunedStream.of(relation.stream, _))
      .map(stream => relation.copy(output = positions.map(relation.output), stream = stream))
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
