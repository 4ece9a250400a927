package ducklake.spark.streaming

import ducklake.catalog.types.SnapshotId
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.scalatest.funsuite.AnyFunSuite

final class AdmissionLimitSpec extends AnyFunSuite {

  /** Snapshot, files, rows. */
  private val sizes = Vector((3, 1, 10), (5, 4, 20), (6, 1, 70), (9, 1, 1)).map {
    case (id, files, rows) => ChangeSize(SnapshotId(id.toLong), files.toLong, rows.toLong)
  }

  private def over(files: Option[Int], rows: Option[Long]): Option[Long] =
    AdmissionLimit(files, rows).firstOver(sizes).map(_.value)

  test("a batch ends before the first snapshot that does not fit") {
    assert(over(files = Some(5), rows = None).contains(6L))
    assert(over(files = Some(4), rows = None).contains(5L))
    assert(over(files = None, rows = Some(100)).contains(9L))
    assert(over(files = None, rows = Some(99)).contains(6L))
  }

  test("of two limits the smaller one counts") {
    assert(over(files = Some(6), rows = Some(30)).contains(6L))
    assert(over(files = Some(1), rows = Some(1000)).contains(5L))
  }

  test("the first snapshot is read whole, however much it has") {
    assert(over(files = Some(1), rows = Some(1)).contains(5L))
    assert(AdmissionLimit(Some(1), Some(1)).firstOver(sizes.take(1)).isEmpty)
    assert(AdmissionLimit(Some(1), Some(1)).firstOver(Vector.empty).isEmpty)
  }

  test("all fit into a limit that is large enough, and without a limit") {
    assert(over(files = Some(7), rows = Some(101)).isEmpty)
    assert(over(files = None, rows = None).isEmpty)
  }

  test("a limit comes back from Spark as it was given, and Trigger.Once lifts it") {
    for (
      limit <- Vector(
        AdmissionLimit.none,
        AdmissionLimit(Some(3), None),
        AdmissionLimit(None, Some(3)),
        AdmissionLimit(Some(3), Some(4)),
      )
    ) assert(AdmissionLimit.of(limit.asSpark) == limit)
    assert(AdmissionLimit.of(ReadLimit.allAvailable()).isNone)
  }
}
