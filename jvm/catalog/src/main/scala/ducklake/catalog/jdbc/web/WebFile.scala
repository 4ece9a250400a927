package ducklake.catalog.jdbc.web

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

import java.io.IOException
import java.io.InputStream
import java.io.InterruptedIOException
import java.net.ConnectException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.channels.ClosedByInterruptException
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.time.Instant
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import java.time.format.DateTimeParseException
import java.util.concurrent.TimeUnit

import scala.util.Using

/** A database file that an HTTP server publishes.
  *
  * @param display the address for messages
  */
private[jdbc] final class WebFile(
    url: String,
    display: String,
    limits: WebLimits,
) {
  import WebFile.Copied

  /** Copies the file to a new temporary folder, unless it is unchanged since the last copy. The
    * server decides this by the file's tag or its time.
    *
    * Errors: InvalidUri when the file does not exist, must not be read, or is too large;
    * ConnectionFailed, also when the copy takes too long.
    */
  def newer(than: Option[Copied]): Option[Copied] = {
    val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limits.copyMillis)
    val answer = received(WebFile.client.send(request(than), HttpBody.handler(limits.silence)))
    Using.resource(answer.body) { body =>
      answer.statusCode match {
        case WebFile.Whole =>
          HttpAnswers.coding(answer).foreach { coding =>
            throw new LakeException(failed(s"the server sends the file as `$coding`"))
          }
          if (HttpAnswers.length(answer).exists(_ > limits.mostBytes)) throw tooLarge
          Some(copied(body, deadline, marks(answer)))
        case WebFile.NotModified => None
        case status => throw new LakeException(refusal(status))
      }
    }
  }

  /** The error when the copy takes too long. */
  def tooSlow: LakeError =
    failed(
      s"the copy takes more than ${limits.copyMillis} ms, the limit of the catalog key " +
        s"`${WebLimits.CopyKey}`"
    )

  private def tooLarge: LakeException =
    invalid(
      s"names a file of more than ${limits.mostBytes} bytes",
      s"The limit is the catalog key `${WebLimits.SizeKey}`; raise it for a file that you trust.",
    )

  private def copied(body: InputStream, deadline: Long, marks: Map[String, String]): Copied = {
    val copy = Copied(Files.createTempDirectory("ducklake-web").resolve("catalog"), marks)
    try {
      received(save(body, copy.file, deadline))
      copy
    } catch {
      case error: Throwable =>
        copy.remove()
        throw error
    }
  }

  private def save(body: InputStream, file: Path, deadline: Long): Unit =
    Using.resource(Files.newOutputStream(file)) { out =>
      val buffer = new Array[Byte](WebFile.BufferBytes)
      var size = 0L // a loop, because a file may be large
      Iterator.continually(body.read(buffer)).takeWhile(_ >= 0).foreach { count =>
        size += count
        if (size > limits.mostBytes) throw tooLarge
        if (System.nanoTime() - deadline > 0) throw new LakeException(tooSlow)
        out.write(buffer, 0, count)
      }
      // SQLite takes an empty file for a database without tables.
      if (size == 0) throw new LakeException(failed("the server sends an empty file"))
    }

  private def request(known: Option[Copied]): HttpRequest = {
    val builder =
      HttpRequest.newBuilder(address).timeout(Duration.ofMillis(limits.copyMillis)).GET()
    known.foreach(_.marks.foreach { case (name, value) => builder.header(name, value) })
    builder.build()
  }

  private def address: URI =
    try new URI(url)
    catch {
      case _: java.net.URISyntaxException =>
        throw invalid("is no address of the web", "Encode what is no letter, as in `%20`.")
    }

  private def received[A](wait: => A): A = {
    def interrupted(cause: Throwable) =
      new LakeException(failed("the wait was interrupted"), Some(cause))
    try wait
    catch {
      case interrupt @ (_: InterruptedIOException | _: ClosedByInterruptException) =>
        throw interrupted(interrupt)
      case error: IOException => throw new LakeException(failed(reasonOf(error)), Some(error))
      case odd: IllegalArgumentException => // what Java's client throws for some numbers
        val why = s"the server's answer cannot be read: ${odd.getMessage}"
        throw new LakeException(failed(why), Some(odd))
      case interrupt: InterruptedException =>
        Thread.currentThread().interrupt()
        throw interrupted(interrupt)
    }
  }

  /** The headers by which the next request names the copied file: its tag, else its time. */
  private def marks(answer: HttpResponse[InputStream]): Map[String, String] =
    HttpAnswers
      .field(answer, "ETag")
      .map("If-None-Match" -> _)
      .orElse(settledTime(answer).map("If-Modified-Since" -> _))
      .toMap

  /** The file's time, unless the file may change again with the same time: times of HTTP are whole
    * seconds.
    */
  private def settledTime(answer: HttpResponse[InputStream]): Option[String] =
    for {
      text <- HttpAnswers.field(answer, "Last-Modified")
      changed <- WebFile.instant(text)
      asked <- HttpAnswers.field(answer, "Date").flatMap(WebFile.instant)
      if asked.getEpochSecond - changed.getEpochSecond > 1
    } yield text

  private def refusal(status: Int): LakeError = status match {
    case 401 | 403 | 404 | 410 =>
      invalid(
        s"cannot be read: the server answers $status",
        "Check the address, and that everybody may read the file.",
      ).error
    case other => failed(s"the server answers $other")
  }

  private def invalid(why: String, hint: String): LakeException =
    new LakeException(LakeError.InvalidUri(display, why, hint))

  private def failed(why: String): LakeError =
    LakeError.ConnectionFailed(display, "read the catalog database", why)

  private def reasonOf(error: IOException): String = error match {
    case _: ConnectException => "there is no server, or it refuses connections"
    case other => Option(other.getMessage).getOrElse(other.getClass.getSimpleName)
  }
}

private[jdbc] object WebFile {
  private val Whole = 200
  private val NotModified = 304
  private val BufferBytes = 1 << 16

  private def instant(text: String): Option[Instant] =
    try Some(Instant.from(RFC_1123_DATE_TIME.parse(text)))
    catch { case _: DateTimeParseException => None }

  private lazy val client = HttpClient
    .newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .followRedirects(HttpClient.Redirect.NORMAL)
    .connectTimeout(Duration.ofSeconds(20))
    .build()

  /** A copy in its own folder, where SQLite may put files beside it.
    *
    * @param marks the headers by which the server recognizes the file
    */
  final case class Copied(file: Path, marks: Map[String, String]) {

    /** Removes the folder. Programs that have the file open keep it. */
    def remove(): Unit = {
      val folder = file.getParent
      Option(folder.toFile.listFiles).foreach(_.foreach(_.delete()))
      folder.toFile.delete(): Unit
    }
  }
}
