package ducklake.spark.streaming

import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.scalatest.funsuite.AnyFunSuite

final class AdmissionLimitSpec extends AnyFunSuite {

  /** Files, rows, bytes. */
  private val sizes = Vector((1, 10, 100), (4, 20, 200), (1, 70, 700), (1, 1, 10)).map {
    case (files, rows, bytes) => RowsSize(files.toLong, rows.toLong, bytes.toLong)
  }

  private def over(files: Option[Int], rows: Option[Long], bytes: Option[Long]): Option[Int] =
    AdmissionLimit(files, rows, bytes).firstOver(sizes)

  test("a batch ends before the first part that does not fit") {
    assert(over(files = Some(5), rows = None, bytes = None).contains(2))
    assert(over(files = Some(4), rows = None, bytes = None).contains(1))
    assert(over(files = None, rows = Some(100), bytes = None).contains(3))
    assert(over(files = None, rows = Some(99), bytes = None).contains(2))
    assert(over(files = None, rows = None, bytes = Some(1000)).contains(3))
    assert(over(files = None, rows = None, bytes = Some(999)).contains(2))
  }

  test("of several limits the smallest one counts") {
    assert(over(files = Some(6), rows = Some(30), bytes = Some(2000)).contains(2))
    assert(over(files = Some(1), rows = Some(1000), bytes = None).contains(1))
    assert(over(files = Some(9), rows = Some(1000), bytes = Some(250)).contains(1))
  }

  test("the first part fits, however much it has") {
    val one = AdmissionLimit(Some(1), Some(1), Some(1))
    assert(one.firstOver(sizes).contains(1))
    assert(one.firstOver(sizes.take(1)).isEmpty)
    assert(one.firstOver(Vector.empty).isEmpty)
    assert(one.isExceededBy(sizes.head) && !one.isExceededBy(RowsSize(1, 1, 1)))
  }

  test("all fit into a limit that is large enough, and without a limit") {
    assert(over(files = Some(7), rows = Some(101), bytes = Some(1010)).isEmpty)
    assert(over(files = None, rows = None, bytes = None).isEmpty)
  }

  test("a limit comes back from Spark as it was given, and Trigger.Once lifts it") {
    for (
      limit <- Vector(
        AdmissionLimit.none,
        AdmissionLimit(Some(3), None, None),
        AdmissionLimit(None, Some(3), None),
        AdmissionLimit(None, None, Some(3)),
        AdmissionLimit(Some(3), Some(4), Some(5)),
      )
    ) assert(AdmissionLimit.of(limit.asSpark) == limit)
    assert(AdmissionLimit.of(ReadLimit.allAvailable()).isNone)
  }
}
