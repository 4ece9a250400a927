package ducklake.files.store

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import ducklake.catalog.error.LakeException
import ducklake.files.io.FileFailure
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.io.FileNotFoundException
import java.io.IOException
import java.net.InetSocketAddress
import java.net.http.HttpTimeoutException
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters.CollectionHasAsScala
import scala.util.Using

/** Files of a server on loopback: one that knows ranges, one that does not, and faults. */
final class HttpFileSystemSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val content = Array.tabulate(300000)(number => (number % 251).toByte)
  private val asked = new ConcurrentLinkedQueue[String]
  private val faults = new AtomicInteger
  private val ended = new CountDownLatch(1)
  private val threads = Executors.newCachedThreadPool()

  private lazy val server = {
    val made = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    made.createContext("/", answer(_))
    made.setExecutor(threads)
    made.start()
    made
  }

  override def afterAll(): Unit = {
    ended.countDown()
    server.stop(0)
    threads.shutdown()
  }

  private def answer(exchange: HttpExchange): Unit = {
    val range = Option(exchange.getRequestHeaders.getFirst("Range"))
    asked.add(s"${exchange.getRequestMethod} ${range.getOrElse("")}"): Unit
    exchange.getRequestURI.getPath match {
      case "/busy" if faults.getAndDecrement() > 0 => exchange.sendResponseHeaders(503, -1)
      case "/a file %20.parquet" => part(exchange, range)
      case "/stalls" if faults.getAndDecrement() > 0 => stall(exchange)
      case "/busy" | "/stalls" => part(exchange, range)
      case "/whole" => whole(exchange)
      case "/shifted" =>
        exchange.getResponseHeaders.set("Content-Range", "bytes 7-11/300000")
        part(exchange, range)
      case "/packed" =>
        exchange.getResponseHeaders.set("Content-Encoding", "gzip")
        part(exchange, range)
      case "/secret" => exchange.sendResponseHeaders(403, -1)
      case "/broken" => exchange.sendResponseHeaders(500, -1)
      case _ => exchange.sendResponseHeaders(404, -1)
    }
    exchange.close()
  }

  private def part(exchange: HttpExchange, range: Option[String]): Unit = range match {
    case Some(s"bytes=$from-$last") if from.toInt < content.length =>
      val bytes = content.slice(from.toInt, last.toInt + 1)
      exchange.sendResponseHeaders(206, bytes.length.toLong)
      exchange.getResponseBody.write(bytes)
    case Some(_) => exchange.sendResponseHeaders(416, -1)
    case None if exchange.getRequestMethod == "HEAD" =>
      exchange.getResponseHeaders.set("Content-Length", content.length.toString)
      exchange.sendResponseHeaders(200, -1)
    case None => whole(exchange)
  }

  /** Sends the beginning of the answer, and nothing more while the server runs. */
  private def stall(exchange: HttpExchange): Unit = {
    exchange.sendResponseHeaders(206, 1000L)
    exchange.getResponseBody.write(content, 0, 100)
    exchange.getResponseBody.flush()
    ended.await()
  }

  private def whole(exchange: HttpExchange): Unit = {
    exchange.sendResponseHeaders(200, content.length.toLong)
    exchange.getResponseBody.write(content)
  }

  private def path(name: String): Path =
    new Path(s"http://127.0.0.1:${server.getAddress.getPort}/$name")

  private def system: FileSystem =
    path("").getFileSystem(CatalogFileSystem.scope(new Configuration, Map.empty))

  private def opened[A](name: String)(use: FSDataInputStream => A): A = {
    asked.clear()
    Using.resource(system.open(path(name)))(use)
  }

  private def read(stream: FSDataInputStream, start: Long, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    stream.readFully(start, bytes)
    bytes
  }

  test("a long read asks for its bytes alone, short ones share a request") {
    opened("a file %20.parquet") { stream =>
      assert(read(stream, 1000, 200000).sameElements(content.slice(1000, 201000)))
      assert(read(stream, 250000, 10).sameElements(content.slice(250000, 250010)))
      assert(read(stream, 250100, 4000).sameElements(content.slice(250100, 254100)))
    }

    assert(asked.asScala.toSeq == Seq("GET bytes=1000-200999", "GET bytes=250000-315535"))
  }

  test("a stream ends where the file ends") {
    opened("a file %20.parquet") { stream =>
      stream.seek(content.length.toLong - 3)
      assert(stream.readNBytes(10).sameElements(content.takeRight(3)))
      stream.seek(content.length.toLong + 5)
      assert(stream.read() == -1)
    }
  }

  test("the size of a file is asked when nobody knows it") {
    assert(system.getFileStatus(path("a file %20.parquet")).getLen == content.length)
  }

  test("a server that is busy is asked again, three times at most") {
    faults.set(2)
    assert(opened("busy")(read(_, 0, 5)).sameElements(content.take(5)))

    faults.set(5)
    intercept[IOException](opened("busy")(read(_, 0, 5)))
    assert(asked.size == 3)
  }

  test("a server that sends nothing more in the middle of an answer is asked again") {
    val file = new HttpFile(path("stalls").toUri, Duration.ofMillis(200))
    asked.clear()
    faults.set(1)
    assert(file.bytes(0L, 1000).sameElements(content.take(1000)))
    assert(asked.size == 2)

    asked.clear()
    faults.set(5)
    val failure = intercept[HttpTimeoutException](file.bytes(0L, 1000))
    assert(failure.getMessage == "the server sent nothing for 200 ms")
    assert(asked.size == 3)
  }

  test("a server without ranges serves small reads at the beginning") {
    assert(opened("whole")(read(_, 5, 10)).sameElements(content.slice(5, 15)))
  }

  test("the error says what the server refuses") {
    def found(name: String): String =
      intercept[LakeException](
        FileFailure.naming(path(name).toString, "main.t")(opened(name)(read(_, 0, 5)))
      ).error.message

    assert(found("nothing").contains("it does not exist"))
    assert(found("secret").contains("the store refused access"))
    assert(found("broken").contains("the store failed (the server answered 500)"))
    assert(found("shifted").contains("other bytes than asked for: bytes 7-11/300000"))
    assert(found("packed").contains("the server sends the file as `gzip`"))
    intercept[FileNotFoundException](system.getFileStatus(path("nothing")))
  }

  test("nothing is written, removed or listed") {
    val file = path("a file %20.parquet")

    intercept[IOException](system.create(file))
    intercept[IOException](system.delete(file, false))
    intercept[IOException](system.rename(file, path("b")))
    intercept[IOException](system.mkdirs(path("folder")))
    intercept[IOException](system.listStatus(path("")))
  }
}
