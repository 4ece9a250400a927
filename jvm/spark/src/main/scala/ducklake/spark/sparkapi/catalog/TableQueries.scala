package ducklake.spark.sparkapi.catalog

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.Limit
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Runs our own queries on a table that is in no catalog. */
object TableQueries {

  /** Whether Spark can evaluate the filter in this kind of query. */
  def canEvaluate(predicate: Predicate): Boolean =
    V2ExpressionUtils.toCatalyst(predicate).isDefined

  /** The named columns of the rows for which all filters are true. */
  def select(
      table: Table,
      predicates: Vector[Predicate],
      columns: Vector[String],
  ): RDD[InternalRow] = {
    val relation: LogicalPlan = DataSourceV2Relation.create(table, None, None)
    val conditions = predicates.map(evaluable)
    val filtered = conditions.reduceOption(And(_, _)).fold(relation)(Filter(_, relation))
    val plan = Project(columns.map(name => UnresolvedAttribute(Seq(name))), filtered)
    SparkSession.active.sessionState.executePlan(plan).toRdd
  }

  /** At most `count` rows of the table, on the driver. */
  def first(table: Table, count: Int): Array[InternalRow] = {
    val relation: LogicalPlan = DataSourceV2Relation.create(table, None, None)
    val plan = Limit(Literal(count), relation)
    SparkSession.active.sessionState.executePlan(plan).executedPlan.executeCollect()
  }

  /** The filter as an expression. Fails rather than leave a filter out, because the query would
    * then find too many rows.
    */
  private def evaluable(predicate: Predicate): Expression =
    V2ExpressionUtils
      .toCatalyst(predicate)
      .getOrElse(throw new IllegalStateException(s"$predicate cannot be evaluated"))
}
