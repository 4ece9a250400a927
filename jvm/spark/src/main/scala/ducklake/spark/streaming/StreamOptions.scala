package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.stream.ContinuousQuery
import org.apache.spark.sql.connector.write.LogicalWriteInfo

/** Refuses what a stream that writes cannot have. */
private[streaming] object StreamOptions {

  /** Errors: InvalidSetting when the option is given. */
  def refuse(info: LogicalWriteInfo, option: String, why: String): Unit =
    if (info.options().containsKey(option))
      SparkErrors.raise(
        LakeError.InvalidSetting(option, "is given to a stream", s"Leave it out: $why")
      )

  /** Errors: InvalidSetting for numbers of writes. */
  def refuseNumbers(info: LogicalWriteInfo): Unit =
    StatementOptions.numbers.foreach(refuse(info, _, "a stream numbers its epochs itself."))

  /** Errors: Unsupported when the query has a continuous trigger. */
  def refuseContinuous(table: String): Unit =
    if (ContinuousQuery.isRunning)
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Writing a stream to $table with a continuous trigger",
          "Use `processingTime` or `availableNow`.",
        )
      )
}
