package ducklake.catalog.commit.transaction

/** How often a commit is tried again, and how long it waits before each retry.
  *
  * @param maxCount retries after the first attempt
  * @param waitMillis wait before the first retry, in milliseconds
  * @param backoff factor by which each wait is longer than the one before
  */
final case class RetryPolicy(maxCount: Int, waitMillis: Long, backoff: Double) {

  /** The wait before a retry (from 1), in milliseconds.
    *
    * @param random from 0 to 1, so that several writers wait for different times
    */
  def wait(retry: Int, random: Double): Long =
    (waitMillis * math.pow(backoff, retry - 1.0) * (0.5 + random / 2)).toLong
}

object RetryPolicy {

  /** The same as DuckDB's. */
  val default: RetryPolicy = RetryPolicy(10, 100L, 1.5)
}

/** Waits between two attempts. */
private[commit] object RetryWait {

  /** Waits. Returns true when the time has passed, and false as soon as the thread is interrupted;
    * the thread's interrupt flag stays set.
    */
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
