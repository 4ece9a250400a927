package ducklake.spark.extension.written

import ducklake.spark.write.DuckLakeBatchWrite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec
import org.apache.spark.sql.execution.metric.SQLMetrics

/** Appends the rows of its query without a job. A copy that Spark makes of it, other than for a
  * query that it compiles, starts one.
  *
  * @param stated the query as the plan states its rows
  */
private[written] final class DriverAppendExec(planned: AppendDataExec, stated: SparkPlan)
    extends AppendDataExec(
      planned.query,
      planned.refreshCache,
      planned.write,
      planned.tableName,
      planned.transaction,
    ) {

  override def withTransaction(transaction: Option[Transaction]): AppendDataExec =
    new DriverAppendExec(planned.withTransaction(transaction), stated)

  override protected def withNewChildInternal(query: SparkPlan): AppendDataExec =
    new DriverAppendExec(planned.copy(query = query), stated)

  override protected def writeWithV2(batch: BatchWrite): Seq[InternalRow] =
    batch match {
      case own: DuckLakeBatchWrite =>
        own.writeOnDriver(StatedQuery.rows(stated).tapEach(_ => numOutputRowsMetric.add(1)))
        val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
        SQLMetrics.postDriverMetricUpdates(sparkContext, execution, Seq(numOutputRowsMetric))
        Nil
      case other => super.writeWithV2(other)
    }
}
