package ducklake.spark.streaming

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant
import java.util.UUID

/** How often a stream that has nothing to read asks the catalog. Time is a number that the test sets. */
class IdleAnswerSpec extends AnyFunSuite {

  private val from = SnapshotOffset(UUID.fromString("00000000-0000-4000-8000-000000000000"), None)
  private val first = Snapshot(SnapshotId(5), Instant.EPOCH, 0L, 0L, 0L)

  private final class Idle(isPolled: Boolean) {
    var nanos = 0L
    var questions = 0
    var newest = Option((first.id, first.time))
    private val answer = new IdleAnswer(
      () => {
        questions += 1
        newest
      },
      () => isPolled,
      () => nanos,
    )
    answer.remember(from, first, askedAt = 0L)

    def holds(from: SnapshotOffset = IdleAnswerSpec.this.from): Boolean = answer.holds(from)

    /** Asks every so many milliseconds for ten seconds. */
    def asked(everyMillis: Long): Vector[Boolean] =
      (everyMillis to 10000L by everyMillis).toVector.map { millis =>
        nanos = millis * 1000000L
        holds()
      }
  }

  test("a stream without a trigger asks once a second, however often Spark asks it") {
    val idle = new Idle(isPolled = true)

    assert(idle.asked(everyMillis = 10L) == Vector.fill(1000)(true))
    assert(idle.questions == 10)
  }

  test("a stream with a trigger asks each time") {
    val idle = new Idle(isPolled = false)

    assert(idle.asked(everyMillis = 100L) == Vector.fill(100)(true))
    assert(idle.questions == 100)
  }

  test("a stream whose data somebody waits for asks at once") {
    val idle = new Idle(isPolled = false)
    idle.newest = Some((SnapshotId(6), first.time))
    idle.nanos = 1L

    assert(!idle.holds())
  }

  test("another snapshot, another lake at the address, or none ends the answer") {
    val others = Seq(
      Some((SnapshotId(6), first.time)),
      Some((SnapshotId(4), first.time)),
      Some((first.id, first.time.plusSeconds(1))),
      None,
    )
    others.foreach { newest =>
      val idle = new Idle(isPolled = true)
      idle.newest = newest
      idle.nanos = IdleAnswer.LongestNanos - 1
      assert(idle.holds())
      idle.nanos = IdleAnswer.LongestNanos

      assert(!idle.holds() && !idle.holds())
      assert(idle.questions == 1)
    }
  }

  test("another offset has its own answer") {
    val idle = new Idle(isPolled = true)

    assert(!idle.holds(SnapshotOffset.at(from.table, first)))
    assert(idle.holds())
  }
}
