package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.TableShape
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class RewritePlanSpec extends AnyFunSuite {

  private val shapes =
    Vector(TableShape(SnapshotId(1), Vector.empty), TableShape(SnapshotId(10), Vector.empty))

  /** A file of ten rows and 1,000 bytes. */
  private def file(id: Long, deleted: Int, inlined: Int = 0): DataFile =
    DataFile(
      DataFileId(id),
      s"/t/$id.parquet",
      1000,
      0,
      10,
      FirstRowId.of(Some(id * 10)),
      SnapshotId(id),
      SnapshotId(id),
      RowVisibility.All,
      None,
      Map.empty,
      None,
      FileEncryption.Absent,
      Option.when(deleted > 0)(deleteFile(deleted.toLong)).toVector,
      Vector.range(0L, inlined.toLong),
    )

  private def deleteFile(count: Long): DeleteFile =
    DeleteFile(
      DeleteFileId(99),
      "/t/d.parquet",
      DeleteFormat.ParquetPositions,
      count,
      100,
      None,
      SnapshotId(5),
      FileEncryption.Absent,
    )

  private def plan(least: Double, target: Long)(files: DataFile*): Vector[Vector[Long]] =
    RewritePlan.of(files.toVector, shapes, least, target).map(_.files.map(_.id.value))

  test("deletes of delete files and of the catalog count together") {
    val files = Vector(file(1, 4), file(2, 5), file(3, 2, 3), file(4, 0, 5), file(5, 0, 4))
    assert(plan(0.5, 1000000)(files: _*) == Vector(Vector(2L, 3L, 4L)))
    assert(plan(0.4, 1000000)(files: _*) == Vector(Vector(1L, 2L, 3L, 4L, 5L)))
  }

  test("a file without deletes is never rewritten, one without rows left always may be") {
    assert(plan(0, 1000)(file(1, 0)) == Vector.empty)
    assert(plan(1, 1000)(file(1, 9), file(2, 10), file(3, 9, 9)) == Vector(Vector(2L, 3L)))
  }

  test("a group ends when the target size is left of its files") {
    val files = Vector.tabulate(5)(n => file(n + 1L, 5))
    assert(plan(0.5, 1000)(files: _*) == Vector(Vector(1L, 2L), Vector(3L, 4L), Vector(5L)))
  }

  test(
    "files that were begun under different shapes stay apart, in the order of their first file"
  ) {
    assert(
      plan(0.5, 1000000)(file(12, 5), file(9, 5), file(2, 5), file(10, 5)) ==
        Vector(Vector(2L, 9L), Vector(10L, 12L))
    )
  }
}
