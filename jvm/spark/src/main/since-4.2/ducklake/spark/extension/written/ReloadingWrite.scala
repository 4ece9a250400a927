package ducklake.spark.extension.written

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.TransactionalWrite

/** A statement that writes, and whose tables Spark loads again by their names. */
private[written] object ReloadingWrite {
  def unapply(plan: LogicalPlan): Boolean = plan.isInstanceOf[TransactionalWrite]
}
