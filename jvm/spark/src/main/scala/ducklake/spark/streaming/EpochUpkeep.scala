package ducklake.spark.streaming

/** What is done for a table after an epoch of a stream, in the stream's thread. */
private[spark] trait EpochUpkeep {

  /** Never fails because of the table: a failure is logged. An interrupt ends it. */
  def after(epoch: Long): Unit
}
