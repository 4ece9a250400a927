package ducklake.spark.read

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import ducklake.spark.parquet.read.FilePart
import org.scalatest.funsuite.AnyFunSuite

final class ScanPlannerSpec extends AnyFunSuite {

  private def file(id: Long, bytes: Long): DataFile =
    DataFile(
      DataFileId(id),
      s"/data/$id.parquet",
      bytes,
      0,
      100,
      FirstRowId.of(Some(0)),
      SnapshotId(1),
      SnapshotId(1),
      RowVisibility.All,
      None,
      Map.empty,
      None,
      FileEncryption.Absent,
      Vector.empty,
      Vector.empty,
    )

  private def parts(files: Vector[DataFile], sizes: ScanPlanner.Sizes): Vector[FilePart] =
    files.flatMap(ScanPlanner.parts(_, "main.t", sizes))

  test("a big file is cut into parts that cover it exactly") {
    val sizes = ScanPlanner.Sizes(maxSplitBytes = 40, openCostBytes = 4)

    val ranges = parts(Vector(file(1, 100)), sizes).map(p => (p.start, p.length))

    assert(ranges == Vector((0L, 40L), (40L, 40L), (80L, 20L)))
  }

  test("a file whose catalog row says a huge size has few parts, which cover it") {
    val sizes = ScanPlanner.Sizes(maxSplitBytes = 128L << 20, openCostBytes = 4)

    val huge = parts(Vector(file(1, 1L << 46)), sizes)

    assert(huge.length <= 10000)
    assert(huge.map(_.length).sum == 1L << 46)
    assert(huge.zip(huge.tail).forall { case (one, next) => one.start + one.length == next.start })
  }

  test("small files share a task up to the split size, opening included") {
    val sizes = ScanPlanner.Sizes(maxSplitBytes = 100, openCostBytes = 10)
    val files = Vector.tabulate(5)(i => file(i.toLong, 30))

    val tasks = ScanPlanner.pack(parts(files, sizes), sizes)

    assert(tasks.map(_.length) == Vector(2, 2, 1))
  }

  test("no files make no task") {
    assert(ScanPlanner.pack(Vector.empty, ScanPlanner.Sizes(100, 10)).isEmpty)
  }

  test("the split size follows what each core would get, between its bounds") {
    val files = Vector(file(1, 1000), file(2, 1000))

    assert(ScanPlanner.sizes(files, 128, 4, parallelism = 4).maxSplitBytes == 128)
    assert(ScanPlanner.sizes(files, 5000, 4, parallelism = 4).maxSplitBytes == 502)
    assert(ScanPlanner.sizes(files, 5000, 700, parallelism = 100).maxSplitBytes == 700)
  }
}
