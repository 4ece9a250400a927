package ducklake.spark.extension.written

import ducklake.spark.write.DuckLakeWrite
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.ColumnarRule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec

/** Lets the driver append the rows that a statement states itself ([[StatedQuery]]), when they are
  * few. Spark would start a job for them, which takes about as long as the rest of
  * the statement.
  *
  * Rows that are sorted or distributed for the table still go to tasks.
  *
  * Source: ours, decision 04.
  */
object StatedRows extends ColumnarRule {

  /** So many rows at most. */
  private val Few = 1000

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      plan match {
        case append: AppendDataExec if isOfLake(append) && statesFew(append.query) =>
          new DriverAppendExec(append, append.query)
        case other => other
      }
  }

  private def isOfLake(append: AppendDataExec): Boolean =
    append.write match {
      case _: DuckLakeWrite => true
      case _ => false
    }

  private def statesFew(query: SparkPlan): Boolean =
    StatedQuery.mostRows(query).exists(_ <= Few)
}
