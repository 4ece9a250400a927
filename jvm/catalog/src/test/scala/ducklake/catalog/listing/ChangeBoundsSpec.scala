package ducklake.catalog.listing

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class ChangeBoundsSpec extends AnyFunSuite {
  private def at(second: Long): Instant = Instant.ofEpochSecond(second)

  /** Snapshots with these ids, each ten seconds per id after the epoch. */
  private def bounds(ids: Long*): ChangeBounds =
    new ChangeBounds(ids.toVector.map(id => SnapshotId(id) -> at(id * 10)))

  private val whole = bounds(0, 1, 2, 3, 4)
  private val expired = bounds(3, 4, 6, 7)

  private def version(id: Long): ChangeBound = ChangeBound.version(SnapshotId(id))
  private def time(second: Long): ChangeBound = ChangeBound.time(at(second))
  private def excluding(bound: ChangeBound): ChangeBound = bound.copy(edge = BoundEdge.Excluded)

  private def range(from: Long, to: Long): Either[LakeError, SnapshotRange] =
    Right(SnapshotRange(SnapshotId(from), SnapshotId(to)))

  private def missing(asked: String, oldest: Long, newest: Long): Either[LakeError, SnapshotRange] =
    Left(LakeError.NoSuchSnapshot(asked, oldest.toString, newest.toString))

  test("both ends are included") {
    assert(whole.range(version(1), version(3)) == range(1, 3))
    assert(whole.range(time(10), time(30)) == range(1, 3))
    assert(whole.range(version(2), version(4)) == range(2, 4))
  }

  test("a time means the first snapshot at or after it, or the last at or before it") {
    assert(whole.range(time(11), time(39)) == range(2, 3))
    assert(whole.range(time(-5), time(99)) == range(0, 4))
    assert(whole.range(version(1), time(25)) == range(1, 2))
  }

  test("excluded ends are left out") {
    assert(whole.range(excluding(version(1)), excluding(version(3))) == range(2, 2))
    assert(whole.range(excluding(time(10)), excluding(time(30))) == range(2, 2))
    assert(whole.range(excluding(time(11)), excluding(time(31))) == range(2, 3))
    assert(whole.range(excluding(version(4)), version(4)) == range(5, 4))
    assert(whole.range(excluding(time(99)), version(4)) == range(5, 4))
  }

  test("a name means its snapshot") {
    val kept = Vector(0L, 1L, 2L).map(id => SnapshotId(id) -> at(id * 10))
    val named = new ChangeBounds(kept, Map("one" -> SnapshotId(1), "gone" -> SnapshotId(9)))
    def snapshot(text: String): ChangeBound = ChangeBound.snapshot(text)
    assert(named.range(snapshot("one"), snapshot(" 2 ")) == range(1, 2))
    assert(named.range(excluding(snapshot("one")), version(2)) == range(2, 2))
    assert(named.range(version(0), excluding(snapshot("one"))) == range(0, 0))
    assert(named.range(snapshot("gone"), version(2)) == missing("9", 0, 2))
    assert(named.range(version(0), snapshot("none")) == missing("with the name `none`", 0, 2))
  }

  test("a range may end before it begins") {
    assert(whole.range(version(3), version(1)) == range(3, 1))
    assert(whole.range(time(31), time(19)) == range(4, 1))
    assert(whole.range(version(0), excluding(version(0))) == range(0, -1))
  }

  test("an id that is not kept is refused") {
    assert(whole.range(version(1), version(9)) == missing("9", 0, 4))
    assert(whole.range(version(-1), version(2)) == missing("-1", 0, 4))
    assert(expired.range(version(2), version(4)) == missing("2", 3, 7))
    assert(expired.range(excluding(version(5)), version(7)) == missing("5", 3, 7))
    assert(expired.range(version(3), excluding(version(6))) == missing("5", 3, 7))
  }

  test("a time without a snapshot is refused") {
    assert(whole.range(time(10), time(-1)) == missing("at or before 1969-12-31T23:59:59Z", 0, 4))
    assert(whole.range(time(41), time(50)) == missing("at or after 1970-01-01T00:00:41Z", 0, 4))
    assert(
      whole.range(version(0), excluding(time(0))) == missing("before 1970-01-01T00:00:00Z", 0, 4)
    )
  }

  test("a time is refused when an expired snapshot may belong to the range") {
    def mayBelong(id: Long) = missing(s"$id, which may belong to the range,", 3, 7)

    assert(expired.range(time(0), version(4)) == mayBelong(2))
    assert(expired.range(time(45), version(7)) == mayBelong(5))
    assert(expired.range(version(3), time(55)) == mayBelong(5))
    assert(expired.range(time(30), time(70)) == range(3, 7))
    assert(expired.range(time(60), time(99)) == range(6, 7))
  }

  test("few snapshots have to be known") {
    val kept = Vector(3L, 4L, 6L, 7L)
    val (versions, times) = ((-1L to 9L).map(version), (-1L to 9L).map(_ * 5 + 20).map(time))
    val points = (versions ++ times).flatMap(point => Vector(point, excluding(point)))
    def around(time: Instant): Vector[SnapshotId] = {
      val before = kept.filter(id => at(id * 10).isBefore(time)).lastOption
      val same = kept.filter(id => at(id * 10) == time)
      val after = kept.filter(id => at(id * 10).isAfter(time)).headOption
      (before ++ same ++ after).map(SnapshotId(_)).toVector
    }
    for (from <- points; to <- points) {
      val asked = ChangeBounds.asked(from, to)(around).map(_.value)
      val known = (asked ++ Vector(3L, 7L)).distinct.filter(kept.contains)
      assert(bounds(known: _*).range(from, to) == expired.range(from, to), s"$from to $to")
    }
  }

  test("a lake without snapshots has no range") {
    val none = Left(LakeError.NoSuchSnapshot("1", "none", "none"))

    assert(bounds().range(version(0), version(1)) == none)
  }
}
