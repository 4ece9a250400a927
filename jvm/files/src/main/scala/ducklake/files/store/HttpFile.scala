package ducklake.files.store

import ducklake.catalog.jdbc.web.HttpAnswers
import ducklake.catalog.jdbc.web.HttpBody

import java.io.FileNotFoundException
import java.io.IOException
import java.io.InputStream
import java.io.InterruptedIOException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.file.AccessDeniedException
import java.time.Duration

import scala.annotation.tailrec
import scala.util.Using

/** A file that an HTTP server publishes. Each call makes a request; after an answer that the server
  * is busy or failed, and after a lost connection, it tries again twice. A connection on which
  * nothing comes for `silence` is lost.
  */
private[store] final class HttpFile(address: URI, silence: Duration = HttpBody.LongestSilence) {

  private val url = address.toASCIIString

  /** Reads the bytes from `start`, fewer at the end of the file. Errors: FileNotFoundException,
    * AccessDeniedException, HttpFailure, IOException.
    */
  def bytes(start: Long, length: Int): Array[Byte] = {
    val last = start + length - 1
    val request = HttpFile.request(url).header("Range", s"bytes=$start-$last").GET().build()
    answered(request, HttpFile.Attempts) { answer =>
      refuseCoded(answer)
      answer.statusCode match {
        case HttpFile.Partial =>
          refuseOtherBytes(answer, start)
          answer.body.readNBytes(length)
        case HttpFile.AfterTheEnd => Array.emptyByteArray
        case HttpFile.Whole if start < HttpFile.MostSkipped =>
          answer.body.skipNBytes(start)
          answer.body.readNBytes(length)
        case HttpFile.Whole =>
          throw new HttpFailure("the server sends only whole files, it knows no ranges")
        case status => throw refusal(status)
      }
    }
  }

  /** Errors: like [[bytes]]. */
  def sizeBytes: Long = {
    val asked = HttpRequest.BodyPublishers.noBody()
    val request = HttpFile.request(url).method("HEAD", asked).build()
    answered(request, HttpFile.Attempts) { answer =>
      if (answer.statusCode != HttpFile.Whole) throw refusal(answer.statusCode)
      HttpAnswers
        .length(answer)
        .getOrElse(throw new HttpFailure("the server does not say how long the file is"))
    }
  }

  /** Bytes of another place would be read as those of the file. */
  private def refuseOtherBytes(answer: HttpResponse[InputStream], start: Long): Unit =
    HttpAnswers.field(answer, "Content-Range").filterNot(_.startsWith(s"bytes $start-")).foreach {
      range =>
        throw new HttpFailure(s"the server sends other bytes than asked for: $range")
    }

  private def refuseCoded(answer: HttpResponse[InputStream]): Unit =
    HttpAnswers.coding(answer).foreach { coding =>
      throw new HttpFailure(s"the server sends the file as `$coding`, which nobody asked for")
    }

  private def refusal(status: Int): IOException = status match {
    case 404 | 410 => new FileNotFoundException(url)
    case 401 | 403 => new AccessDeniedException(url, null, s"the server answered $status")
    case other => new HttpFailure(s"the server answered $other")
  }

  @tailrec
  private def answered[A](request: HttpRequest, left: Int)(
      use: HttpResponse[InputStream] => A
  ): A = {
    val result =
      try
        Using.resource(new HttpFile.Answer(request, silence)) { answer =>
          if (isPassing(answer.response.statusCode)) Left(refusal(answer.response.statusCode))
          else Right(use(answer.response))
        }
      catch {
        case known @ (_: HttpFailure | _: FileNotFoundException | _: AccessDeniedException) =>
          throw known
        case interrupt: InterruptedIOException => throw interrupt
        case lost: IOException => Left(lost)
        case odd: IllegalArgumentException => // what Java's client throws for some numbers
          throw new HttpFailure(s"the answer cannot be read: ${odd.getMessage}")
      }
    result match {
      case Right(value) => value
      case Left(failure) if left <= 1 => throw failure
      case Left(_) =>
        HttpFile.waiting(Thread.sleep(HttpFile.PauseMillis))
        answered(request, left - 1)(use)
    }
  }

  private def isPassing(status: Int): Boolean = status == 429 || status >= 500
}

private object HttpFile {
  private val Whole = 200
  private val Partial = 206
  private val AfterTheEnd = 416
  private val Attempts = 3
  private val PauseMillis = 500L

  /** The most bytes that are read and discarded when a server does not support ranges. */
  private val MostSkipped = 1024L * 1024

  /** Its threads are daemons, and it keeps connections for the next request. */
  private lazy val client = HttpClient
    .newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .followRedirects(HttpClient.Redirect.NORMAL)
    .connectTimeout(Duration.ofSeconds(20))
    .build()

  private def request(url: String): HttpRequest.Builder =
    HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofMinutes(2))

  /** An answer whose body is closed after use. */
  private final class Answer(request: HttpRequest, silence: Duration) extends AutoCloseable {
    val response: HttpResponse[InputStream] =
      waiting(client.send(request, HttpBody.handler(silence)))

    override def close(): Unit = response.body.close()
  }

  private def waiting[A](wait: => A): A =
    try wait
    catch {
      case interrupt: InterruptedException =>
        Thread.currentThread().interrupt()
        throw new InterruptedIOException(interrupt.getMessage)
    }
}

/** The server of a file answered, but did not send the file. */
private[store] final class HttpFailure(message: String) extends IOException(message)
