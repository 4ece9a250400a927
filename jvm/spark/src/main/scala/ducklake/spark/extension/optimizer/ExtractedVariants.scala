package ducklake.spark.extension.optimizer

import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.VariantType

/** Lets a scan take the values from a variant that a query needs, so that it reads only the columns
  * in which a file holds these values.
  *
  * Spark's own push-down into sources of this kind reads all columns of the table, and leaves out
  * aggregates. With this strategy the scan keeps its columns, and a variant of which the query needs
  * only values becomes a struct of these values.
  *
  * Source: ours, decision 36.
  */
object ExtractedVariants extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] =
    if (!SessionSettings.pushesVariantExtractions) Nil
    else
      plan match {
        case PhysicalOperation(projects, filters, scan: DataSourceV2ScanRelation) =>
          extracted(projects, filters, scan).map(planLater).toSeq
        case aggregate: Aggregate => withArguments(aggregate).map(planLater).toSeq
        case _ => Nil
      }

  private def extracted(
      projects: Seq[NamedExpression],
      filters: Seq[Expression],
      old: DataSourceV2ScanRelation,
  ): Option[LogicalPlan] =
    for {
      scan <- LakeScans.scanOf(old)
      shown = shownColumns(old.output, (projects ++ filters).flatMap(VariantUse.in))
      if shown.nonEmpty
    } yield {
      val output = old.output.map(column => shown.get(column.exprId).fold(column)(_.column))
      val better = scan.showing(output.map(_.dataType).toVector)
      val rows = LakeScans.replaced(LakeScans.replaced(old, scan, better), old.output, output)
      val change = VariantUse.replaced(_: Expression, shown)
      val filtered = filters.map(change).reduceOption(And(_, _)).fold(rows)(Filter(_, rows))
      Project(projects.map(change(_).asInstanceOf[NamedExpression]), filtered)
    }

  /** For each variant of which the query needs only values, the column that shows them. */
  private def shownColumns(
      output: Seq[AttributeReference],
      uses: Seq[(ExprId, VariantUse)],
  ): Map[ExprId, VariantUse.Shown] =
    output
      .filter(_.dataType == VariantType)
      .flatMap { column =>
        val wanted = uses.collect { case (id, use) if id == column.exprId => use }.distinct
        val values = wanted.collect { case VariantUse.Value(extraction) => extraction }
        Option.when(values.nonEmpty && !wanted.contains(VariantUse.Whole)) {
          column.exprId -> VariantUse.Shown.of(column, values.toVector)
        }
      }
      .toMap

  /** The aggregate over a projection that computes those of its arguments that need values of a
    * variant. None when there are none, or when the aggregate needs the variant otherwise. An
    * argument with a FILTER is left, because Spark computes it only for the rows of the filter.
    */
  private def withArguments(aggregate: Aggregate): Option[LogicalPlan] =
    aggregate.child match {
      case PhysicalOperation(_, _, scan: DataSourceV2ScanRelation)
          if LakeScans.scanOf(scan).nonEmpty =>
        val computed = argumentsWithVariants(aggregate)
        val results = aggregate.aggregateExpressions.map(over(_, computed))
        val above = AttributeSet.fromAttributeSets(
          (aggregate.groupingExpressions ++ results).map(_.references)
        )
        val needed = aggregate.child.output.filter(above.contains)
        Option.when(computed.nonEmpty && needed.forall(_.dataType != VariantType)) {
          val rows = Project(needed ++ computed.values, aggregate.child)
          val changed = LakeScans.replaced(aggregate, aggregate.aggregateExpressions, results)
          LakeScans.replaced(changed, aggregate.child, rows)
        }
      case _ => None
    }

  private def argumentsWithVariants(aggregate: Aggregate): Map[Expression, Alias] =
    aggregate.aggregateExpressions
      .flatMap(_.collect { case one: AggregateExpression if one.filter.isEmpty => one })
      .flatMap(_.aggregateFunction.children)
      .filter(VariantUse.in(_).exists(_._2.isInstanceOf[VariantUse.Value]))
      .map(argument => argument.canonicalized -> Alias(argument, "argument")())
      .toMap

  private def over(result: NamedExpression, computed: Map[Expression, Alias]): NamedExpression =
    result
      .transform {
        case one: AggregateExpression if one.filter.isEmpty =>
          val arguments = one.aggregateFunction.children.map { argument =>
            computed.get(argument.canonicalized).fold(argument)(_.toAttribute)
          }
          val function = one.aggregateFunction.withNewChildren(arguments)
          one.copy(aggregateFunction = function.asInstanceOf[AggregateFunction])
      }
      .asInstanceOf[NamedExpression]
}
