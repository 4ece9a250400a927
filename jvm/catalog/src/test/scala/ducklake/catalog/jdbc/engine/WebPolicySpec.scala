package ducklake.catalog.jdbc.engine

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.BaseTablesSpec
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Lease
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.web.WebLimits
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqliteDialect
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.net.InetSocketAddress
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import java.util.Properties
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters.CollectionHasAsScala

/** A catalog that a server on loopback publishes. */
final class WebPolicySpec extends AnyFunSuite with BeforeAndAfterAll {

  private val published = new AtomicReference[(String, Array[Byte])](("", Array.emptyByteArray))
  private val changed = new AtomicReference[Option[Instant]](None)
  private val status = new AtomicReference[Option[Int]](None)
  private val answers = new ConcurrentLinkedQueue[Int]
  private val isStalling = new AtomicBoolean
  private val isChunked = new AtomicBoolean
  private val isTrickling = new AtomicBoolean
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
    val (tag, bytes) = published.get
    val time = changed.get.map(RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC).format(_))
    def isAsked(name: String, value: String) =
      Option(exchange.getRequestHeaders.getFirst(name)).contains(value)
    val isKnown = isAsked("If-None-Match", tag) || time.exists(isAsked("If-Modified-Since", _))
    val code = status.get.getOrElse(if (isKnown) 304 else 200)
    answers.add(code): Unit
    time match {
      case Some(found) => exchange.getResponseHeaders.set("Last-Modified", found)
      case None => exchange.getResponseHeaders.set("ETag", tag)
    }
    exchange.sendResponseHeaders(
      code,
      if (code != 200) -1L else if (isChunked.get) 0L else bytes.length.toLong,
    )
    if (isStalling.get) {
      exchange.getResponseBody.write(bytes, 0, 100)
      exchange.getResponseBody.flush()
      ended.await()
    } else if (isTrickling.get) trickle(exchange, bytes)
    else if (code == 200) exchange.getResponseBody.write(bytes)
    exchange.close()
  }

  /** A byte now and then, until the reader has gone. */
  private def trickle(exchange: HttpExchange, bytes: Array[Byte]): Unit =
    try
      bytes.foreach { byte =>
        exchange.getResponseBody.write(byte.toInt)
        exchange.getResponseBody.flush()
        Thread.sleep(20)
      }
    catch { case _: java.io.IOException => () }

  private def publish(number: Int): Unit = {
    val file = Files.createTempDirectory("web").resolve("a.sqlite")
    val made = new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties)
    made.createStatement().execute(s"CREATE TABLE t AS SELECT $number AS a"): Unit
    made.close()
    published.set((s"\"$number\"", Files.readAllBytes(file)))
  }

  private def uri: CatalogUri.Web =
    CatalogUri.Web("sqlite", s"http://127.0.0.1:${server.getAddress.getPort}/a.sqlite")

  /** The database, and where its copies were. */
  private def opened(
      fresh: Long,
      limits: WebLimits = patient,
  ): (Database, ConcurrentLinkedQueue[Path]) = {
    val copies = new ConcurrentLinkedQueue[Path]
    def local(path: String) = {
      copies.add(Path.of(path)): Unit
      sqlite(path)
    }
    answers.clear()
    val policy = new WebPolicy(uri, local, limits, fresh)
    (new Database(uri.display, SqliteDialect, 1000, policy), copies)
  }

  private def value(database: Database): Long =
    database.single("read the number") { session =>
      session.first(sql"SELECT a FROM t")(_.long(1)).getOrElse(0L)
    }

  test("a file that is published anew is copied anew, and the old copy is removed") {
    publish(1)
    val (database, copies) = opened(fresh = 0)
    assert(value(database) == 1)
    assert(value(database) == 1)
    publish(2)
    assert(value(database) == 2)

    assert(answers.asScala.toSeq == Seq(200, 304, 200))
    assert(copies.asScala.map(Files.exists(_)).toSeq == Seq(false, true))
    database.close()
    assert(!copies.asScala.exists(copy => Files.exists(copy.getParent)))
    assert(value(database) == 2)
    database.close()
  }

  private def sqlite(path: String): ConnectionPolicy =
    new SqlitePolicy(path, 1000, Map.empty, BaseTablesSpec.of(SqliteDialect))

  private def patient: WebLimits = WebLimits(1L << 20, 60000, Duration.ofSeconds(10))

  test("a copy that cannot be read is made again, though the server says that it is the newest") {
    publish(1)
    val (tag, whole) = published.get
    for (
      broken <- Seq(whole.take(whole.length / 2), "<html>Log in</html>".getBytes, Array[Byte]())
    ) {
      published.set((tag, broken))
      val (database, _) = opened(fresh = Long.MaxValue / 2)
      intercept[LakeException](value(database))
      published.set((tag, whole))
      assert(value(database) == 1)
      database.close()
    }
  }

  test("a connection that reads an old copy is closed at its end") {
    publish(1)
    val copies = new WebPolicy(uri, sqlite, patient, 0)
    val reading = copies.lend()
    publish(2)
    copies.lend().giveBack()

    reading.giveBack()

    assert(reading.connection.isClosed)
    copies.close()
  }

  test("without a tag the file's time counts, once a second has passed since") {
    publish(5)
    def answered(time: Instant): Seq[Int] = {
      changed.set(Some(time))
      val (database, _) = opened(fresh = 0)
      try {
        assert(Seq.fill(2)(value(database)).toSet == Set(5L))
        answers.asScala.toSeq
      } finally {
        database.close()
        changed.set(None)
      }
    }

    assert(answered(Instant.now().minusSeconds(60)) == Seq(200, 304))
    assert(answered(Instant.now().plusSeconds(60)) == Seq(200, 200))
  }

  test("calls within a moment ask the server once") {
    publish(3)
    val (database, _) = opened(fresh = Long.MaxValue)

    assert(Seq.fill(5)(value(database)).toSet == Set(3L))
    assert(answers.size == 1)
    database.close()
  }

  test("the error says what the server refuses") {
    val (database, copies) = opened(fresh = 0)
    def found(code: Int): LakeError = {
      status.set(Some(code))
      try intercept[LakeException](value(database)).error
      finally status.set(None)
    }

    assert(found(404).isInstanceOf[LakeError.InvalidUri])
    assert(found(403).parameters("why").contains("the server answers 403"))
    assert(found(503).isInstanceOf[LakeError.ConnectionFailed])
    assert(copies.isEmpty)
  }

  test("a server that sends nothing more in the middle of the file is not reached") {
    publish(6)
    val (database, copies) = opened(fresh = 0, patient.copy(silence = Duration.ofMillis(500)))
    assert(value(database) == 6)
    publish(7)
    isStalling.set(true)

    val refusal =
      try intercept[LakeException](value(database))
      finally isStalling.set(false)

    assert(refusal.error.isInstanceOf[LakeError.ConnectionFailed])
    assert(refusal.error.parameters("why") == "the server sent nothing for 500 ms")
    assert(copies.asScala.map(Files.exists(_)).toSeq == Seq(true))
    assert(value(database) == 7)
    database.close()
  }

  test("a file that is larger than the limit is not copied, whether its size is announced or not") {
    publish(8)
    val size = published.get._2.length.toLong
    val (database, copies) = opened(fresh = 0, patient.copy(mostBytes = size - 1))

    Seq(false, true).foreach { chunked =>
      isChunked.set(chunked)
      val refusal =
        try intercept[LakeException](value(database)).error
        finally isChunked.set(false)
      assert(refusal.isInstanceOf[LakeError.InvalidUri])
      assert(refusal.message.contains(s"a file of more than ${size - 1} bytes"))
      assert(refusal.message.contains("`web.max-bytes`"))
    }
    assert(copies.isEmpty)
    assert(value(opened(fresh = 0, patient.copy(mostBytes = size))._1) == 8)
  }

  test("a copy that takes longer than the limit is given up") {
    publish(9)
    val (database, copies) =
      opened(fresh = 0, WebLimits(1L << 20, 2000, Duration.ofMinutes(1)))
    isTrickling.set(true)

    val refusal =
      try intercept[LakeException](value(database)).error
      finally isTrickling.set(false)

    assert(refusal.isInstanceOf[LakeError.ConnectionFailed])
    assert(refusal.message.contains("more than 2000 ms"))
    assert(copies.isEmpty)
  }

  test(
    "while a thread copies, the last copy can be given back and closed, and a wait be interrupted"
  ) {
    publish(1)
    val policy = new WebPolicy(uri, sqlite, WebLimits(1L << 20, 60000), 0)
    val reading = policy.lend()
    publish(2)
    isStalling.set(true)
    val copying = new Thread(() => discarding(policy.lend()))
    copying.start()
    eventually(answers.asScala.last == 200 && answers.size == 2)

    assert(policy.isRolledBack(new java.sql.SQLException("x", "x", 5)))
    reading.giveBack()
    val waiting = new java.util.concurrent.FutureTask(() => failureOf(policy.lend()))
    val waiter = new Thread(waiting)
    waiter.start()
    eventually(waiter.getState == Thread.State.TIMED_WAITING)
    waiter.interrupt()

    assert(
      waiting.get(30, java.util.concurrent.TimeUnit.SECONDS).getMessage.contains("interrupted")
    )
    policy.close()
    isStalling.set(false)
    copying.interrupt()
    copying.join()
  }

  private def failureOf(body: => Lease): Exception =
    try {
      body.giveBack()
      new IllegalStateException("nothing failed")
    } catch { case failure: Exception => failure }

  private def discarding(body: => Lease): Unit =
    try body.discard()
    catch { case _: LakeException => () }

  private def eventually(condition: => Boolean): Unit =
    while (!condition) Thread.onSpinWait()

  test("it is never written") {
    publish(4)
    val (database, _) = opened(fresh = 0)

    val refusal = intercept[LakeException](database.write("change it")(_ => ()))

    assert(refusal.error.isInstanceOf[LakeError.ReadOnly])
  }
}
