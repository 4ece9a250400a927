package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.web.HttpBody

import java.sql.Connection
import java.sql.SQLException
import java.time.Duration
import java.util.concurrent.TimeUnit

/** Connections to a copy of a published database file. A call first asks the server whether the
  * file has changed, unless the last such question was a moment ago, and copies it then.
  *
  * @param open the connections to a local file
  * @param freshNanos for so long after an answer the server is not asked again
  * @param silence a server that sends nothing for so long is not reached
  */
private[jdbc] final class WebPolicy(
    uri: CatalogUri.Web,
    open: String => ConnectionPolicy,
    freshNanos: Long = WebPolicy.FreshNanos,
    silence: Duration = HttpBody.LongestSilence,
) extends ConnectionPolicy {
  import WebPolicy.Current

  private val web = new WebFile(uri.url, uri.display, silence)

  // Guarded by this object's monitor.
  private var current: Option[Current] = None

  def exists: Boolean = latest().exists

  // The copy stays while it is lent: it is removed only by a thread that has the monitor.
  def lend(): Lease = synchronized(latest().lend())

  def lendToWrite(): Lease =
    throw new LakeException(
      LakeError.ReadOnly(s"the lake at ${uri.display}", "its catalog is only read by HTTP")
    )

  private def latest(): ConnectionPolicy = synchronized {
    val known = current.filter(now => System.nanoTime() - now.asked < freshNanos)
    known.getOrElse(asked()).local
  }

  private def asked(): Current = {
    val newer = web.newer(current.map(_.copied)).map { copied =>
      current.foreach(remove)
      Current(copied, open(copied.file.toString), 0L)
    }
    val found = newer.orElse(current).getOrElse(throw new IllegalStateException("no answer"))
    val noted = found.copy(asked = System.nanoTime())
    current = Some(noted)
    noted
  }

  private def remove(old: Current): Unit = {
    old.local.retire()
    old.copied.remove()
  }

  def beginWrite(connection: Connection): Unit = local(_.beginWrite(connection))

  def commit(connection: Connection): Unit = local(_.commit(connection))

  def rollback(connection: Connection): Unit = local(_.rollback(connection))

  def isRolledBack(error: SQLException): Boolean = local(_.isRolledBack(error))

  def beginRead(connection: Connection): Unit = local(_.beginRead(connection))

  def classify(error: SQLException): SqlFailure = local(_.classify(error))

  override def writtenBy: String = local(_.writtenBy)

  private def local[A](use: ConnectionPolicy => A): A =
    use(synchronized(current).map(_.local).getOrElse(latest()))

  def forget(): Unit = synchronized(current).foreach(_.local.forget())

  /** Removes the copy too. */
  def close(): Unit = synchronized {
    current.foreach(remove)
    current = None
  }
}

private object WebPolicy {

  /** @param asked when the server said that this is the newest, as a value of `System.nanoTime`
    */
  final case class Current(copied: WebFile.Copied, local: ConnectionPolicy, asked: Long)

  /** A statement of Spark makes many calls. */
  private val FreshNanos = TimeUnit.SECONDS.toNanos(1)
}
