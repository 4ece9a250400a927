package ducklake.catalog.listing

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.testkit.ChangeSamples
import ducklake.catalog.testkit.CollectedChanges
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class UpdatePartnersSpec extends AnyFunSuite {

  private def partners(lake: TestLake, from: Long, to: Long): UpdatePartners = {
    val at: LakeSnapshot = lake.open.at(SnapshotId(to))
    val table = at.table("main", "t").getOrElse(fail("no table"))
    val inlined = InlinedChangesRequest(Vector.empty, new CollectedChanges)
    new UpdatePartners(at.changes(table, ChangeRequest(SnapshotId(from), Some(inlined))))
  }

  private def range(from: Long, to: Long): SnapshotRange =
    SnapshotRange(SnapshotId(from), SnapshotId(to))

  private def ids(files: Vector[DataFileChanges]): Vector[Long] = files.map(_.file.id.value)

  test("the other image of a row is in a file that the same snapshot changed") {
    val all = partners(ChangeSamples.deletes(), 2, 8)

    assert(ids(all.filesWithInsertions(range(7, 7))) == Vector(5))
    assert(ids(all.filesWithDeletions(range(7, 7))) == Vector(0))
    assert(ids(all.filesWithDeletions(range(3, 3))).isEmpty)
    assert(ids(all.filesWithInsertions(range(8, 8))).isEmpty)
    assert(ids(all.filesWithDeletions(range(8, 8))) == Vector(1))
    assert(ids(all.filesWithDeletions(range(4, 8))) == Vector(0, 1))
  }

  test("inlined rows are found by the snapshots that inserted and deleted them") {
    val all = partners(ChangeSamples.inlined(), 2, 11)

    assert(all.insertedRows(range(3, 3)) && all.deletedRows(range(3, 3)))
    assert(all.insertedRows(range(8, 8)) && all.deletedRows(range(8, 8)))
    assert(all.insertedRows(range(2, 2)) && !all.deletedRows(range(2, 2)))
    assert(all.insertedRows(range(9, 10)) && !all.insertedRows(range(9, 9)))
    assert(ids(all.filesWithDeletions(range(8, 8))) == Vector(3))
  }
}
