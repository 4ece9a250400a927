package ducklake.spark.maintenance.rollback

import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class InlinedComparisonSpec extends AnyFunSuite {

  private def row(rowId: Long, begin: Long): InlinedRow =
    InlinedRow("t", rowId, SnapshotId(begin), Vector(Literal.Integral(begin)))

  private def compared(
      past: InlinedRow*
  )(present: InlinedRow*): (Vector[Long], Vector[InlinedRow]) = {
    val comparison = new InlinedComparison
    comparison.present.begin()
    present.foreach(comparison.present.add)
    comparison.past.begin()
    past.foreach(comparison.past.add)
    (comparison.ended, comparison.returned)
  }

  test("versions that both snapshots have stay") {
    assert(compared(row(1, 2), row(2, 2))(row(2, 2), row(1, 2)) == ((Vector.empty, Vector.empty)))
  }

  test("new rows end and deleted rows come back") {
    assert(compared(row(1, 2))(row(7, 4), row(3, 4)) == ((Vector(3L, 7L), Vector(row(1, 2)))))
  }

  test("the version of an updated row ends and the version before comes back") {
    assert(compared(row(1, 2))(row(1, 5)) == ((Vector(1L), Vector(row(1, 2)))))
  }

  test("another version with equal values is no difference") {
    val comparison = new InlinedComparison
    comparison.present.begin()
    val now = Vector(row(1, 5), row(2, 5), row(3, 5))
    now.foreach(comparison.present.add)
    comparison.past.begin()
    Vector(row(1, 2), row(2, 2)).foreach(comparison.past.add)
    assert(comparison.hasOtherVersions)

    val values = comparison.presentValues
    for (_ <- 1 to 2) {
      values.begin()
      now.foreach(each => values.add(each.copy(values = row(1, 2 * each.rowId).values)))
    }

    assert((comparison.ended, comparison.returned) == ((Vector(2L, 3L), Vector(row(2, 2)))))
  }

  test("a read that begins anew forgets what it had") {
    val comparison = new InlinedComparison
    for (_ <- 1 to 2) {
      comparison.present.begin()
      comparison.present.add(row(1, 5))
    }
    for (_ <- 1 to 2) {
      comparison.past.begin()
      comparison.past.add(row(1, 2))
    }

    assert((comparison.ended, comparison.returned) == ((Vector(1L), Vector(row(1, 2)))))
  }
}
