package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable

final class ReaderPositionSpec extends AnyFunSuite {
  private val second = 1000000000L

  private final class Course {
    var now: Long = 0L
    var isRefused: Boolean = false
    val registered: mutable.Buffer[Long] = mutable.Buffer.empty
    val position: ReaderPosition = new ReaderPosition(
      "lake.main.t",
      read => {
        if (isRefused) throw new LakeException(LakeError.ReadOnly("lake `lake`", "it is so"))
        registered += read.value
      },
      () => now,
    )

    def reach(seconds: Long, read: Long): Unit = {
      now = seconds * second
      position.reach(SnapshotId(read))
    }
  }

  test("a stream that goes on registers once a minute") {
    val course = new Course
    (0L to 150L).foreach(seconds => course.reach(seconds, seconds + 10))
    assert(course.registered.toSeq == Seq(10L, 70L, 130L))
    course.position.end()
    assert(course.registered.last == 160L)
  }

  test("a stream that stays where it is registers once an hour, and not at its end") {
    val course = new Course
    (0L to 9000L by 10L).foreach(course.reach(_, 5L))
    course.position.end()
    assert(course.registered.toSeq == Seq(5L, 5L, 5L))
  }

  test("a stream without a position registers nothing") {
    val course = new Course
    course.position.end()
    assert(course.registered.isEmpty)
  }

  test("a registration that fails is tried again after a minute") {
    val course = new Course
    course.isRefused = true
    (0L to 59L).foreach(course.reach(_, 5L))
    course.isRefused = false
    course.reach(59L, 5L)
    assert(course.registered.isEmpty)
    course.reach(60L, 5L)
    assert(course.registered.toSeq == Seq(5L))
  }
}
