package ducklake.spark.extension.stream

import ducklake.spark.config.StatementOptions
import ducklake.spark.extension.Refusals
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSource
import org.apache.spark.sql.streaming.OutputMode

/** Refuses the first epoch of a stream in output mode update that has no keys. Spark's own error
  * names no way. When the query starts, Spark does not show its options.
  */
object UpdatingStreams extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case write: WriteToMicroBatchDataSource if isWithoutKeys(write) =>
        tableOf(write).foreach(table => refuse(table.name()))
      case _ => ()
    }
    plan
  }

  private def isWithoutKeys(write: WriteToMicroBatchDataSource): Boolean =
    write.outputMode == OutputMode.Update() &&
      !write.writeOptions.keys.exists(_.equalsIgnoreCase(StatementOptions.MergeKeys))

  /** The field that holds the table differs between versions of Spark. */
  private def tableOf(write: WriteToMicroBatchDataSource): Option[DuckLakeTable] =
    write.productIterator.collectFirst {
      case table: DuckLakeTable => table
      case relation: DataSourceV2Relation if relation.table.isInstanceOf[DuckLakeTable] =>
        relation.table.asInstanceOf[DuckLakeTable]
    }

  private def refuse(table: String): Nothing =
    Refusals.refuse(
      s"Writing a stream to $table in output mode update without `${StatementOptions.MergeKeys}`",
      s"Name the key's columns by the option `${StatementOptions.MergeKeys}`, or use output mode " +
        "append or complete.",
    )
}
