package ducklake.catalog.commit

/** How often and how patiently a commit is tried again.
  *
  * @param maxCount retries after the first attempt
  * @param waitMillis before the first retry
  * @param backoff factor between one wait and the next
  */
final case class RetryPolicy(maxCount: Int, waitMillis: Long, backoff: Double) {

  /** The wait before a retry (from 1), in milliseconds.
    *
    * @param random from 0 to 1: waits of several writers differ
    */
  def wait(retry: Int, random: Double): Long =
    (waitMillis * math.pow(backoff, retry - 1.0) * (0.5 + random / 2)).toLong
}

object RetryPolicy {

  /** DuckDB's own. */
  val default: RetryPolicy = RetryPolicy(10, 100L, 1.5)
}

/** The wait between two attempts. */
private[commit] object RetryWait {

  /** Whether the time has passed. False as soon as the thread is interrupted; its flag stays set. */
  def lasts(millis: Long): Boolean =
    try {
      Thread.sleep(millis)
      true
    } catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        false
    }
}
