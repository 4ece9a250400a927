package ducklake.spark.job

import org.apache.spark.broadcast.Broadcast

/** Values that the driver has given to the tasks of a job. */
private[spark] object Broadcasts {

  /** Removes values that no task needs any more. An interrupted thread stays interrupted: Spark's
    * own method would throw then, instead of the error that ends the statement.
    */
  def remove(values: Broadcast[?]*): Unit = {
    val wasInterrupted = Thread.interrupted()
    try values.foreach(_.destroy())
    finally if (wasInterrupted) Thread.currentThread().interrupt()
  }
}
