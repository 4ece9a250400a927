package ducklake.catalog.jdbc

import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** Looks once a minute for what was not used for long, on one thread of the process that does not
  * keep it alive.
  */
object MinuteTimer {

  private lazy val threads = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "ducklake-idle")
    thread.setDaemon(true)
    thread
  }

  /** Runs an action every minute from now on.
    *
    * @param action must not throw; it is not run again when it does
    */
  def everyMinute(action: () => Unit): Unit =
    threads.scheduleWithFixedDelay(() => action(), 1, 1, TimeUnit.MINUTES): Unit
}
