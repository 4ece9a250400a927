package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class FileDifferenceSpec extends AnyFunSuite {

  private def file(id: Long): DataFile =
    DataFile(
      DataFileId(id),
      s"/data/main/t/$id.parquet",
      1000L,
      0,
      10L,
      FirstRowId.of(Some(0L)),
      SnapshotId(2),
      SnapshotId(2),
      RowVisibility.All,
      None,
      Map.empty,
      None,
      FileEncryption.Absent,
      Vector.empty,
      Vector.empty,
    )

  private val deletes = DeleteFile(
    DeleteFileId(9),
    "/data/main/t/9-delete.parquet",
    DeleteFormat.ParquetPositions,
    3L,
    300L,
    None,
    SnapshotId(3),
    FileEncryption.Absent,
  )

  private def between(past: Vector[DataFile], present: Vector[DataFile], inside: Long*) =
    FileDifference.between(past, present, inside.map(DataFileId(_)).toSet, nextFileId = 9L)

  private val nothing = FileDifference(Vector.empty, Vector.empty, Vector.empty, Vector.empty)

  test("a file that both snapshots have with all rows stays") {
    assert(between(Vector(file(1)), Vector(file(1))) == nothing)
  }

  test("a file that only the present has ends") {
    val found = between(Vector(file(1)), Vector(file(1), file(2)))
    assert(found == nothing.copy(ended = Vector(file(2))))
  }

  test("a file that only the past has is copied when all its rows come back") {
    assert(between(Vector(file(1)), Vector.empty) == nothing.copy(copied = Vector(file(1))))
  }

  test("a file with deletes, or with rows of later snapshots, is written again") {
    val deleted = file(1).copy(deleteFiles = Vector(deletes))
    val marked = file(2).copy(inlinedDeletes = Vector(4L))
    val merged = file(3).copy(visibility = RowVisibility.upTo(SnapshotId(4)))

    val past = Vector(deleted, marked, merged)
    assert(between(past, Vector.empty) == nothing.copy(rewritten = past))
  }

  test("a file with the snapshots of its rows inside is written again") {
    assert(between(Vector(file(1)), Vector.empty, 1L) == nothing.copy(rewritten = Vector(file(1))))
  }

  test("a file that has a delete file is compared, even under the same delete file") {
    val deleted = file(1).copy(deleteFiles = Vector(deletes))

    assert(
      between(Vector(file(1)), Vector(deleted)) ==
        nothing.copy(compared = Vector(FilePair(file(1), deleted)))
    )
    assert(
      between(Vector(deleted), Vector(deleted)) ==
        nothing.copy(compared = Vector(FilePair(deleted, deleted)))
    )
  }

  test("a delete file that was written up to the past snapshot is no difference") {
    val old = deletes.copy(id = DeleteFileId(8))
    val deleted = file(1).copy(deleteFiles = Vector(old))
    val marked = deleted.copy(inlinedDeletes = Vector(4L))
    val more = file(1).copy(deleteFiles = Vector(deletes))

    assert(between(Vector(deleted), Vector(deleted)) == nothing)
    Vector(marked, more, file(1)).foreach { now =>
      val pair = FilePair(deleted, now)
      assert(between(Vector(deleted), Vector(now)) == nothing.copy(compared = Vector(pair)))
    }
  }

  test("two delete files are compared when one of them is new") {
    val old = deletes.copy(id = DeleteFileId(7))
    val other = deletes.copy(id = DeleteFileId(8))
    val (one, both) =
      (file(1).copy(deleteFiles = Vector(other)), file(1).copy(deleteFiles = Vector(old, other)))

    assert(between(Vector(both), Vector(both)) == nothing)
    assert(
      between(Vector(one), Vector(both)) == nothing.copy(compared = Vector(FilePair(one, both)))
    )
  }

  test("the same inlined deletes are no difference, other inlined deletes are") {
    val one = file(1).copy(inlinedDeletes = Vector(4L))
    val two = file(1).copy(inlinedDeletes = Vector(4L, 5L))

    assert(between(Vector(one), Vector(one)) == nothing)
    assert(between(Vector(one), Vector(two)) == nothing.copy(compared = Vector(FilePair(one, two))))
  }
}
