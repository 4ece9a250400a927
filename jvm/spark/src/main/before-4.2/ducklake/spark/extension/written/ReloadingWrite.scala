package ducklake.spark.extension.written

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A statement that writes, and whose tables Spark loads again by their names: none before Spark
  * 4.2.
  */
private[written] object ReloadingWrite {
  def unapply(@annotation.unused plan: LogicalPlan): Boolean = false
}
