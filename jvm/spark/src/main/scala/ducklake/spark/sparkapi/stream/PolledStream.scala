package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.RunningStream

/** Whether this thread of the driver runs a streaming query that looks for data as often as it can,
  * because it has no trigger, and nobody waits until it has read all data (`processAllAvailable`).
  * Spark does not pass this on to sources.
  */
private[spark] object PolledStream {

  def isRunning: Boolean =
    SparkSession.getActiveSession.flatMap(RunningStream.of).exists { query =>
      RunningStream.hasNoTrigger(query) && !RunningStream.isAwaited(query)
    }
}
