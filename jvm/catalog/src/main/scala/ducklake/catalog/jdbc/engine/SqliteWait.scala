package ducklake.catalog.jdbc.engine

import org.sqlite.BusyHandler

import java.util.concurrent.TimeUnit

/** Waits for a SQLite file that another connection has locked, until a deadline or until the thread
  * is interrupted. SQLite's own wait cannot be interrupted.
  */
private[engine] final class SqliteWait(timeoutMillis: Int) extends BusyHandler {

  // SQLite calls it on the thread that uses the connection, with 0 at the start of each wait.
  private var deadlineNanos = 0L

  /** @return whether to try again (1) or to give up (0) */
  override protected def callback(tries: Int): Int = {
    if (tries == 0)
      deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis.toLong)
    val isOver = System.nanoTime() - deadlineNanos >= 0
    if (isOver || Thread.currentThread().isInterrupted) 0 else pause(tries)
  }

  private def pause(tries: Int): Int =
    try {
      Thread.sleep(math.min(tries + 1, SqliteWait.LongestPauseMillis).toLong)
      1
    } catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        0
    }
}

private object SqliteWait {
  private val LongestPauseMillis = 25
}
