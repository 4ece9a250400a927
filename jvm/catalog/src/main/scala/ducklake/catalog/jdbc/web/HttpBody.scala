package ducklake.catalog.jdbc.web

import java.io.IOException
import java.io.InputStream
import java.io.InterruptedIOException
import java.net.http.HttpResponse.BodyHandler
import java.net.http.HttpResponse.BodySubscriber
import java.net.http.HttpTimeoutException
import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Flow
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.ListHasAsScala

/** The body of an HTTP answer, as a stream for one thread. Reading fails when the server sends
  * nothing for `silence`: Java's own bodies wait without a limit, because the timeout of a request
  * ends with the headers of the answer.
  *
  * Errors of reading: HttpTimeoutException, InterruptedIOException, IOException.
  */
final class HttpBody private (silence: Duration)
    extends InputStream
    with BodySubscriber[InputStream] {
  import HttpBody.*

  private val arrivals = new LinkedBlockingQueue[Arrival]

  // Guarded by this object's monitor.
  private var subscription: Option[Flow.Subscription] = None
  private var isClosed = false

  // Used only by the thread that reads.
  private var buffers = List.empty[ByteBuffer]
  private var end: Option[Arrival] = None

  override def getBody: CompletionStage[InputStream] = CompletableFuture.completedFuture(this)

  override def onSubscribe(begun: Flow.Subscription): Unit = synchronized {
    if (isClosed) begun.cancel()
    else {
      subscription = Some(begun)
      begun.request(1)
    }
  }

  override def onNext(bytes: java.util.List[ByteBuffer]): Unit =
    arrivals.put(Bytes(bytes.asScala.toList))

  override def onError(failure: Throwable): Unit = arrivals.put(Failed(failure))

  override def onComplete(): Unit = arrivals.put(Complete)

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(into: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else
      arrived() match {
        case Some(buffer) =>
          val count = math.min(length, buffer.remaining)
          buffer.get(into, offset, count)
          count
        case None => -1
      }

  /** Stops receiving the rest of the body. */
  override def close(): Unit = synchronized {
    isClosed = true
    subscription.foreach(_.cancel())
  }

  /** The bytes that are to be read next; None at the end of the body. */
  @tailrec
  private def arrived(): Option[ByteBuffer] = buffers match {
    case first :: _ if first.hasRemaining => Some(first)
    case _ :: rest =>
      buffers = rest
      arrived()
    case Nil =>
      end.getOrElse(awaited()) match {
        case Bytes(next) =>
          buffers = next
          synchronized(subscription.foreach(_.request(1)))
          arrived()
        case last =>
          end = Some(last)
          last match {
            case Failed(failure) => throw new IOException(failure.getMessage, failure)
            case Silent =>
              throw new HttpTimeoutException(s"the server sent nothing for ${silence.toMillis} ms")
            case _ => None
          }
      }
  }

  private def awaited(): Arrival =
    try Option(arrivals.poll(silence.toMillis, TimeUnit.MILLISECONDS)).getOrElse(Silent)
    catch {
      case interrupt: InterruptedException =>
        Thread.currentThread().interrupt()
        throw new InterruptedIOException(interrupt.getMessage)
    }
}

object HttpBody {

  /** How long a server may send nothing in the middle of an answer. */
  val LongestSilence: Duration = Duration.ofMinutes(1)

  /** Bodies of answers of any status. */
  def handler(silence: Duration): BodyHandler[InputStream] = _ => new HttpBody(silence)

  private sealed trait Arrival
  private final case class Bytes(buffers: List[ByteBuffer]) extends Arrival
  private final case class Failed(failure: Throwable) extends Arrival
  private case object Complete extends Arrival
  private case object Silent extends Arrival
}
