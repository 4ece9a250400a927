package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.web.WebFile
import ducklake.catalog.jdbc.web.WebLimits

import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import scala.annotation.tailrec

/** Connections to a copy of a published database file. A call first asks the server whether the
  * file has changed, unless it asked a moment ago, and then copies the file. One thread asks and
  * copies at a time; others wait until it ends, until they are interrupted, or until the longest
  * time of a copy has passed. Calls that already use a copy do not wait.
  *
  * @param open the connections to a local file
  * @param freshNanos how long after an answer the server is not asked again
  */
private[engine] final class WebPolicy(
    uri: CatalogUri.Web,
    open: String => ConnectionPolicy,
    limits: WebLimits,
    freshNanos: Long = WebPolicy.FreshNanos,
) extends ConnectionPolicy {
  import WebPolicy.Current

  private val web = new WebFile(uri.url, uri.display, limits)

  /** Held while the server is asked. */
  private val asking = new ReentrantLock(true)

  // Guarded by this object's monitor, which is held only briefly.
  private var current: Option[Current] = None

  def exists: Boolean = newest(_.exists)

  def lend(): Lease = newest(_.lend())

  def lendToWrite(): Lease =
    throw new LakeException(
      LakeError.ReadOnly(s"the lake at ${uri.display}", "its catalog is only read by HTTP")
    )

  /** Uses the newest copy, which remains during the use: only a thread that has the monitor removes
    * it.
    */
  @tailrec
  private def newest[A](use: ConnectionPolicy => A): A = {
    refresh()
    synchronized(current.map(now => use(now.local))) match {
      case Some(result) => result
      case None => newest(use) // closed by another thread
    }
  }

  private def refresh(): Unit =
    if (!isFresh) {
      val isOurTurn =
        ConnectionPolicy.waiting(asking.tryLock(limits.copyMillis, TimeUnit.MILLISECONDS))
      if (!isOurTurn) throw new LakeException(web.tooSlow)
      try if (!isFresh) ask()
      finally asking.unlock()
    }

  private def isFresh: Boolean =
    synchronized(current).exists { now =>
      now.isSound && System.nanoTime() - now.asked < freshNanos
    }

  private def ask(): Unit = {
    val sound = synchronized(current).filter(_.isSound)
    val newer = web.newer(sound.map(_.copied)).map { copied =>
      Current(copied, open(copied.file.toString), 0L)
    }
    val asked = System.nanoTime()
    synchronized {
      if (newer.nonEmpty) current.foreach(remove)
      current = newer.orElse(current).map(_.copy(asked = asked))
    }
  }

  private def remove(old: Current): Unit = {
    old.local.retire()
    old.copied.remove()
  }

  def beginWrite(connection: Connection): Unit = local.foreach(_.beginWrite(connection))

  def commit(connection: Connection): Unit = local.foreach(_.commit(connection))

  def rollback(connection: Connection): Unit = local.foreach(_.rollback(connection))

  def isRolledBack(error: SQLException): Boolean = local.exists(_.isRolledBack(error))

  def beginRead(connection: Connection): Unit = local.foreach(_.beginRead(connection))

  /** Errors before there is a copy do not come from a database. A copy that cannot be read is made
    * again by the next call, because the server may have answered with something else.
    */
  def classify(error: SQLException): SqlFailure = {
    val failure =
      local.fold[SqlFailure](SqlFailure.Other(SqlFailure.text(error)))(_.classify(error))
    failure match {
      case _: SqlFailure.NotADatabase | _: SqlFailure.DiskFailed | _: SqlFailure.Other =>
        synchronized { current = current.map(_.copy(isSound = false)) }
      case _ => ()
    }
    failure
  }

  override def writtenBy: String = local.fold(super.writtenBy)(_.writtenBy)

  def forget(): Unit = local.foreach(_.forget())

  private def local: Option[ConnectionPolicy] = synchronized(current).map(_.local)

  /** Removes the copy too. */
  def close(): Unit = synchronized {
    current.foreach(remove)
    current = None
  }
}

private object WebPolicy {

  /** @param asked when the server said that this is the newest, as a value of `System.nanoTime`
    * @param isSound false once reading has failed
    */
  final case class Current(
      copied: WebFile.Copied,
      local: ConnectionPolicy,
      asked: Long,
      isSound: Boolean = true,
  )

  /** A statement of Spark makes many calls. */
  private val FreshNanos = TimeUnit.SECONDS.toNanos(1)
}
