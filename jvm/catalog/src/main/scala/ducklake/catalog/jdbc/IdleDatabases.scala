package ducklake.catalog.jdbc

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.SetHasAsScala

/** The databases of this process that may have open connections. A database that was not used for
  * some minutes is closed (decision 07), because Spark does not report the end of a session or a
  * catalog.
  */
object IdleDatabases {
  private val IdleMinutes = 5L

  private val open = ConcurrentHashMap.newKeySet[Database]()

  private lazy val timer: Unit = {
    val idleNanos = TimeUnit.MINUTES.toNanos(IdleMinutes)
    MinuteTimer.everyMinute(() => closeIdle(System.nanoTime() - idleNanos))
  }

  private[jdbc] def used(database: Database): Unit =
    if (open.add(database)) timer

  /** Closes the databases whose last call ended before this value of `System.nanoTime`. */
  private[jdbc] def closeIdle(beforeNanos: Long): Unit =
    open.asScala.filter(_.lastUsedNanos - beforeNanos < 0).foreach(close)

  /** Closes the idle connections of all databases. A database opens new connections when it is used
    * again.
    */
  def closeAll(): Unit = open.asScala.foreach(close)

  /** Removes the database first: a call that ends during the close adds it again. */
  private def close(database: Database): Unit = {
    open.remove(database): Unit
    database.close()
  }
}
