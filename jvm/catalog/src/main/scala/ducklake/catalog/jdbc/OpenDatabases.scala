package ducklake.catalog.jdbc

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.SetHasAsScala

/** The databases of this process that may keep something open. A database that nobody has used for a
  * while lets go of it (decision 0018): Spark does not say when a session or its catalog is gone.
  */
object OpenDatabases {
  private val IdleMinutes = 5L

  private val open = ConcurrentHashMap.newKeySet[Database]()

  private lazy val timer = {
    val threads = Executors.newSingleThreadScheduledExecutor { task =>
      val thread = new Thread(task, "ducklake-idle")
      thread.setDaemon(true)
      thread
    }
    val idleNanos = TimeUnit.MINUTES.toNanos(IdleMinutes)
    threads.scheduleWithFixedDelay(
      () => closeIdle(System.nanoTime() - idleNanos),
      1,
      1,
      TimeUnit.MINUTES,
    )
  }

  private[jdbc] def used(database: Database): Unit =
    if (open.add(database)) timer: Unit

  /** Closes the databases whose last call ended before a moment of `System.nanoTime`. */
  private[jdbc] def closeIdle(beforeNanos: Long): Unit =
    open.asScala.filter(_.lastUsedNanos - beforeNanos < 0).foreach(close)

  /** Closes what no call is using now; a database that is used again opens it anew. */
  def closeAll(): Unit = open.asScala.foreach(close)

  /** A call that ends meanwhile enters its database again. */
  private def close(database: Database): Unit = {
    open.remove(database): Unit
    database.close()
  }
}
