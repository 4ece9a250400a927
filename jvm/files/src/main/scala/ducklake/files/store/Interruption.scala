package ducklake.files.store

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

/** Distinguishes an interrupted thread from a server that does not answer: Java and Hadoop throw
  * `InterruptedIOException` for both.
  */
private[files] object Interruption {

  /** @param chain the exception and its causes */
  def isBehind(chain: List[Throwable]): Boolean =
    chain.exists(isInterrupt) && !chain.exists(isTimeout)

  /** Timeouts of HTTP clients are recognized by name, because their classes are not on our class
    * path: they extend `InterruptedIOException` but not `SocketTimeoutException`.
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
