package ducklake.spark.session

import ducklake.catalog.LakeSettings
import ducklake.catalog.jdbc.MinuteTimer
import ducklake.catalog.types.SnapshotId
import org.slf4j.LoggerFactory

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.*

/** The transaction of a session, apart from the object whose end is watched. Its lock guards it.
  *
  * @param lake the catalog's name, for messages
  */
private[session] final class HeldTransaction(lake: String) {
  import HeldTransaction.*

  private var now: Option[OpenTransaction] = None
  private var usedNanos = System.nanoTime()
  private var isReported = false

  /** Whether it is being committed or rolled back. */
  var isEnding: Boolean = false

  def open: Option[OpenTransaction] = synchronized(now)

  /** Like [[open]], for a statement of the session: the transaction is not idle. */
  def use(): Option[OpenTransaction] = synchronized {
    usedNanos = System.nanoTime()
    isReported = false
    now
  }

  def set(next: Option[OpenTransaction]): Unit = synchronized {
    now = next
    if (next.isEmpty) known.remove(this): Unit
    else if (known.add(this)) timer
  }

  /** Nobody can end the transaction any more. */
  def forgotten(): Unit = synchronized {
    now.foreach { left =>
      log.warn(
        "The transaction of lake `{}` that began at {} was neither committed nor rolled back. " +
          "Nothing of it is in the lake; {} files that it wrote are left, which " +
          "`delete_orphaned_files` finds.",
        lake,
        left.begun,
        left.staged.written.size,
      )
    }
    set(None)
  }

  /** Warns once when no statement of the session has asked for the transaction since this value of
    * `System.nanoTime`.
    */
  private def reportIdle(beforeNanos: Long): Unit = synchronized {
    now.filter(_ => !isReported && !isEnding && usedNanos - beforeNanos < 0).foreach { idle =>
      isReported = true
      log.warn(
        "The transaction of lake `{}` that began at {} is open, and no statement of its session " +
          "has begun for {} minutes. Nothing of it is in the lake: commit it or roll it back.",
        lake,
        idle.begun,
        IdleMinutes,
      )
    }
  }
}

private[spark] object HeldTransaction {
  private val log = LoggerFactory.getLogger(classOf[SessionTransaction])
  private val IdleMinutes = 60L
  private val known = ConcurrentHashMap.newKeySet[HeldTransaction]()

  private lazy val timer: Unit = {
    val idleNanos = TimeUnit.MINUTES.toNanos(IdleMinutes)
    MinuteTimer.everyMinute(() => warnOfIdle(System.nanoTime() - idleNanos))
  }

  /** The snapshots that open transactions of this process read in a lake: it has the same catalog, by
    * its address, or the same data path.
    *
    * @param dataPath of the lake, ending in a separator
    */
  def bases(lake: LakeSettings, dataPath: String): Set[SnapshotId] =
    opened
      .filter(open => open.lake.isSameLake(lake) || open.staged.dataPath == dataPath)
      .map(_.base.snapshot.id)
      .toSet

  /** Full paths of the files that open transactions of this process wrote, of all lakes. */
  def written: Vector[String] = opened.flatMap(_.staged.written)

  private def opened: Vector[OpenTransaction] = known.asScala.toVector.flatMap(_.open)

  /** Warns of all transactions that are open at the end of the application. */
  def warnOfOpen(): Unit = known.forEach(_.forgotten())

  /** Warns of all transactions that were not used since this value of `System.nanoTime`. */
  def warnOfIdle(beforeNanos: Long): Unit = known.forEach(_.reportIdle(beforeNanos))
}
