package ducklake.spark.extension.written

import ducklake.spark.write.DuckLakeBatchWrite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec
import org.apache.spark.sql.execution.metric.SQLMetrics

/** Appends the rows of its query without a job. A copy that Spark makes of it starts one. */
private[written] final class DriverAppendExec(planned: AppendDataExec)
    extends AppendDataExec(
      planned.query,
      planned.refreshCache,
      planned.write,
      planned.tableName,
      planned.transaction,
    ) {

  override def withTransaction(transaction: Option[Transaction]): AppendDataExec =
    new DriverAppendExec(planned.withTransaction(transaction))

  override protected def writeWithV2(batch: BatchWrite): Seq[InternalRow] =
    batch match {
      case own: DuckLakeBatchWrite =>
        val rows = query.executeCollect()
        numOutputRowsMetric.add(rows.length.toLong)
        val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
        SQLMetrics.postDriverMetricUpdates(sparkContext, execution, Seq(numOutputRowsMetric))
        own.writeOnDriver(rows.iterator)
        Nil
      case other => super.writeWithV2(other)
    }
}
