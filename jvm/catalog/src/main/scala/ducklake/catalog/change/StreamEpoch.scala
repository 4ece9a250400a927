package ducklake.catalog.change

/** An epoch of a streaming query: the rows that Spark gives to a table in one step. The number of the
  * last epoch is stored with the table, in the commit of the epoch's rows (decision 0051).
  *
  * @param query the id of the query, which stays when the query is started again
  */
final case class StreamEpoch(query: String, number: Long) {

  /** The key under which the number is stored among the options of the table. */
  def key: String = StreamEpoch.KeyPrefix + query
}

object StreamEpoch {
  private val KeyPrefix = "spark_stream_epoch."

  /** Whether an option of a table is the last epoch of a query. */
  def isKey(key: String): Boolean = key.startsWith(KeyPrefix)
}
