package ducklake.spark.extension.written

import ducklake.spark.write.DuckLakeBatchWrite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec

/** Appends the rows of its query without a job. A copy that Spark makes of it starts one. */
private[written] final class DriverAppendExec(planned: AppendDataExec)
    extends AppendDataExec(planned.query, planned.refreshCache, planned.write) {

  override protected def writeWithV2(batch: BatchWrite): Seq[InternalRow] =
    batch match {
      case own: DuckLakeBatchWrite =>
        own.writeOnDriver(query.executeCollect().iterator)
        Nil
      case other => super.writeWithV2(other)
    }
}
