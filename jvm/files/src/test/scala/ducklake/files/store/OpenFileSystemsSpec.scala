package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.io.IOException
import java.io.InterruptedIOException
import java.net.URI
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.concurrent.blocking
import scala.concurrent.duration.DurationInt

/** Which file systems stay open. */
class OpenFileSystemsSpec extends AnyFunSuite {

  private def made(): SharedFileSystem = {
    val conf = new Configuration(false)
    conf.set("fs.s3a.impl", classOf[StandInFileSystem].getName)
    val system = new SharedFileSystem
    system.initialize(URI.create("s3a://bucket"), CatalogFileSystem.scope(conf, Map.empty))
    system
  }

  private final class Place {
    var hours = 0L
    val open = new OpenFileSystems[Int](() => TimeUnit.HOURS.toNanos(hours))

    def ask(key: Int): SharedFileSystem = open.of(key)(made())

    /** Asks in another thread, whose start waits for the latch. */
    def askSlowly(key: Int, latch: CountDownLatch): Future[SharedFileSystem] = {
      val started = new CountDownLatch(1)
      val asked = Future(blocking(open.of(key) {
        started.countDown()
        latch.await()
        made()
      }))
      started.await()
      asked
    }
  }

  test("few file systems stay open, however long nobody asks for them") {
    val place = new Place
    val all = (1 to 64).map(place.ask)
    place.hours = 1000

    assert(place.ask(1) eq all.head)
    assert(all.forall(_.isOpen))
  }

  test("of more those are closed that nobody has asked for in half a day, the oldest first") {
    val place = new Place
    val all = (1 to 66).map(place.ask)
    place.hours = 11
    val used = place.ask(1)
    place.hours = 12
    val last = place.ask(67)

    assert(used.isOpen && last.isOpen)
    assert(all.filterNot(_.isOpen) == Vector(all(1), all(2), all(3)))
    assert(place.ask(2).isOpen)
  }

  test("more than that are open while all are in use, up to 512") {
    val place = new Place
    val all = (1 to 512).map(place.ask)
    assert(all.forall(_.isOpen))

    val used = place.ask(1)
    val last = place.ask(513)
    assert(used.isOpen && last.isOpen)
    assert(all.filterNot(_.isOpen) == Vector(all(1)))
  }

  test("a file system that somebody has closed is made again") {
    val place = new Place
    val first = place.ask(1)
    first.close()

    assert(place.ask(1) ne first)
    assert(place.ask(1).isOpen)
  }

  test("a slow start holds those alone who ask for the same file system") {
    val place = new Place
    val latch = new CountDownLatch(1)
    val slow = place.askSlowly(1, latch)

    assert(place.ask(2).isOpen)
    assert(!slow.isCompleted)
    latch.countDown()
    assert(Await.result(slow, 1.minute) eq place.ask(1))
  }

  test("a start that fails is tried again by the next call") {
    val place = new Place
    intercept[IOException](place.open.of(1)(throw new IOException("no answer")))

    assert(place.ask(1).isOpen)
  }

  test("those who wait for a start that is interrupted start it themselves") {
    val place = new Place
    val started = new CountDownLatch(1)
    val killed = new Thread(() =>
      try
        place.open.of(1) {
          started.countDown()
          try new CountDownLatch(1).await()
          catch {
            case _: InterruptedException =>
              throw new IOException(new InterruptedIOException("killed"))
          }
          made()
        }: Unit
      catch { case _: IOException => () }
    )
    killed.start()
    started.await()
    val waits = Future(blocking(place.ask(1)))

    killed.interrupt()

    assert(Await.result(waits, 1.minute).isOpen)
  }
}
