package ducklake.spark.extension.stream

import ducklake.spark.extension.Refusals
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.streaming.OutputMode

/** Refuses a stream in output mode update before it starts. Spark itself refuses it at the first
  * rows, and names no other way.
  */
object UpdatingStreams extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case stream: WriteToStream if stream.outputMode == OutputMode.Update() =>
        stream.sink match {
          case table: DuckLakeTable => refuse(table.name())
          case _ => ()
        }
      case _ => ()
    }
    plan
  }

  private def refuse(table: String): Nothing =
    Refusals.refuse(
      s"Writing a stream to $table in output mode update",
      "Use `foreachBatch` with MERGE by a key, or output mode append or complete.",
    )
}
