package ducklake.catalog.read.snapshot

import ducklake.catalog.sql.query.TimeSide
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class NearestSnapshotsSpec extends AnyFunSuite {

  private def at(second: Long): Instant = Instant.ofEpochSecond(second)

  private def nearest(second: Long, sides: Vector[TimeSide] = TimeSide.all): Vector[Long] = {
    val found = new NearestSnapshots(at(second), sides)
    Seq(5L -> 50L, 1L -> 10L, 3L -> 30L, 4L -> 30L, 2L -> 20L).foreach { case (id, time) =>
      found.add(SnapshotId(id), at(time))
    }
    found.result().map(_.value)
  }

  test("each side has the nearest snapshot; of equal times, ids count as times do") {
    assert(nearest(30) == Vector(2, 4, 3, 5))
    assert(nearest(25) == Vector(2, 2, 3, 3))
    assert(nearest(25, Vector(TimeSide.AtOrBefore)) == Vector(2))
  }

  test("a side without snapshots is left out") {
    assert(nearest(9) == Vector(1, 1))
    assert(nearest(50) == Vector(4, 5, 5))
    assert(nearest(51) == Vector(5, 5))
  }
}
