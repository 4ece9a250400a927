package ducklake.spark.read

import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters.*

class SharedReadsSpec extends AnyFunSuite {

  private val reads = new ConcurrentLinkedQueue[Int]

  private def read(key: Int): String = {
    reads.add(key): Unit
    s"value $key"
  }

  private def readKeys: Vector[Int] = {
    val found = reads.asScala.toVector
    reads.clear()
    found
  }

  private def shared(maxBytes: Long): SharedReads[Int, String] =
    new SharedReads[Int, String](maxBytes)(_ => 744L)

  test("many small values that each of two tasks wants in one order are read once") {
    val values = shared(maxBytes = 10000000)
    val keys = (1 to 5000).toVector

    assert(values.all(keys)(read) == keys.map(key => s"value $key"))
    assert(values.all(keys)(read) == keys.map(key => s"value $key"))
    assert(readKeys == keys)
  }

  test("the values that were wanted last stay, as many as there is place for") {
    val values = shared(maxBytes = 3000)

    (1 to 4).foreach(key => values(key)(read))
    assert(readKeys == (1 to 4))
    Seq(4, 3, 2, 1, 3).foreach(key => values(key)(read))
    assert(readKeys == Seq(1))
    values(4)(read): Unit
    assert(readKeys == Seq(4))
  }

  test("a value that is larger than the limit stays until the next one") {
    val values = shared(maxBytes = 10)

    Seq(1, 1, 2, 2, 1).foreach(key => values(key)(read))

    assert(readKeys == Seq(1, 2, 1))
  }

  test("a task does not wait for a value of another task before it has read the others") {
    val values = shared(maxBytes = 1000000)
    val isReading, areRead = new CountDownLatch(1)
    def slow(key: Int): String = {
      if (key == 1) {
        isReading.countDown()
        assert(areRead.await(30, SECONDS), "the other task waits")
      }
      read(key)
    }
    def fast(key: Int): String = {
      val value = read(key)
      if (key == 3) areRead.countDown()
      value
    }
    val all = Vector("value 1", "value 2", "value 3")

    val first = Future(values.all(Vector(1, 2, 3))(slow))
    assert(isReading.await(30, SECONDS))
    val second = Future(values.all(Vector(1, 2, 3))(fast))

    assert(Await.result(first, 60.seconds) == all)
    assert(Await.result(second, 60.seconds) == all)
    assert(readKeys == Vector(2, 3, 1))
  }

  test("only values that are not there are prepared") {
    val values = shared(maxBytes = 1000000)
    val prepared = new ConcurrentLinkedQueue[Int]

    values(2)(read): Unit
    values.all(Vector(1, 2, 3), prepared.add(_): Unit)(read): Unit

    assert(prepared.asScala.toVector == Vector(1, 3))
    assert(readKeys == Vector(2, 1, 3))
  }

  test("a value that could not be read is read by the next task") {
    val values = shared(maxBytes = 1000)

    assertThrows[IllegalStateException](values(1)(_ => throw new IllegalStateException("no file")))
    assert(values(1)(read) == "value 1")
  }
}
