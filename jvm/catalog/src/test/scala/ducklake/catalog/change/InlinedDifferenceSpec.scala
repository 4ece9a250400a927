package ducklake.catalog.change

import ducklake.catalog.model.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class InlinedDifferenceSpec extends AnyFunSuite {

  private def version(rowId: Long, begin: Long): InlinedVersion =
    InlinedVersion(rowId, SnapshotId(begin))

  test("versions that both snapshots have stay") {
    val both = Vector(version(1, 2), version(2, 2))
    assert(InlinedDifference.between(both, both) == InlinedDifference(Vector.empty, Vector.empty))
  }

  test("new rows end and deleted rows come back") {
    val difference = InlinedDifference.between(Vector(version(1, 2)), Vector(version(7, 4)))
    assert(difference == InlinedDifference(Vector(7L), Vector(version(1, 2))))
  }

  test("the version of an updated row ends and the version before comes back") {
    val difference = InlinedDifference.between(Vector(version(1, 2)), Vector(version(1, 5)))
    assert(difference == InlinedDifference(Vector(1L), Vector(version(1, 2))))
  }
}
