package ducklake.catalog.jdbc

import org.slf4j.LoggerFactory

import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

/** Looks once a minute for what was not used for long, on one thread of the process that does not
  * keep it alive.
  */
object MinuteTimer {
  private val log = LoggerFactory.getLogger(getClass)

  private lazy val threads = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "ducklake-idle")
    thread.setDaemon(true)
    thread
  }

  /** Runs an action every minute from now on. Its failures are logged. */
  def everyMinute(action: () => Unit): Unit =
    threads.scheduleWithFixedDelay(() => logged(action), 1, 1, TimeUnit.MINUTES): Unit

  /** The executor does not run an action again that has thrown. */
  private[jdbc] def logged(action: () => Unit): Unit =
    try action()
    catch {
      case NonFatal(failure) =>
        log.warn("a look at what is idle failed; the next one follows in a minute", failure)
    }
}
