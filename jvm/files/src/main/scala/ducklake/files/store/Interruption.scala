package ducklake.files.store

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

/** Tells an interrupted thread from a server that does not answer: Java and Hadoop have
  * `InterruptedIOException` for both.
  */
private[files] object Interruption {

  /** @param chain the exception and its causes */
  def isBehind(chain: List[Throwable]): Boolean =
    chain.exists(isInterrupt) && !chain.exists(isTimeout)

  /** Those of HTTP clients are known by their names, because they are not on our class path: they
    * belong to `InterruptedIOException` without being a `SocketTimeoutException`.
    */
  def isTimeout(cause: Throwable): Boolean = cause match {
    case _: SocketTimeoutException => true
    case other => other.getClass.getSimpleName.endsWith("TimeoutException")
  }

  private def isInterrupt(cause: Throwable): Boolean = cause match {
    case _: InterruptedException | _: InterruptedIOException => true
    case _: ClosedByInterruptException => true
    case _ => false
  }
}
