package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.TableShape
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class FileMergePlanSpec extends AnyFunSuite {

  private val anything = FileMergeLimits(1000, 0, Long.MaxValue, Long.MaxValue)
  private val oneShape = Vector(TableShape(SnapshotId(1), Vector.empty))

  private def file(id: Long, begin: Long, bytes: Long, firstRow: Option[Long] = None): DataFile =
    DataFile(
      DataFileId(id),
      s"/t/$id.parquet",
      bytes,
      0,
      10,
      FirstRowId.of(firstRow),
      SnapshotId(begin),
      SnapshotId(begin),
      RowVisibility.All,
      None,
      Map.empty,
      None,
      FileEncryption.Absent,
      Vector.empty,
      Vector.empty,
    )

  private def column(id: Long): Column =
    Column(
      ColumnId(id),
      s"c$id",
      LakeType.Int64,
      nullsAllowed = true,
      None,
      None,
      None,
      Vector.empty,
    )

  private def in(partition: Option[String], of: DataFile): DataFile =
    of.copy(partition = Some(FilePartition(PartitionId(7), Map(0 -> partition))))

  private def ids(groups: Vector[FileGroup]): Vector[Vector[Long]] =
    groups.map(_.files.map(_.id.value))

  private def plan(files: DataFile*)(limits: FileMergeLimits): Vector[Vector[Long]] =
    ids(FileMergePlan.of(files.toVector, oneShape, limits))

  test("a group ends with the file that brings it to the target") {
    val files = Vector.tabulate(7)(n => file(n.toLong, n + 2L, 400))
    assert(plan(files: _*)(anything) == Vector(Vector(0L, 1L, 2L), Vector(3L, 4L, 5L)))
    assert(
      plan(files: _*)(anything.copy(targetBytes = 800)) ==
        Vector(Vector(0L, 1L), Vector(2L, 3L), Vector(4L, 5L))
    )
  }

  test("files are taken by begin, first row id and id") {
    val files =
      Vector(file(1, 5, 1), file(2, 4, 1, Some(30)), file(3, 4, 1, Some(10)), file(4, 4, 1))
    assert(plan(files: _*)(anything) == Vector(Vector(3L, 2L, 4L, 1L)))
  }

  test("the least size is included, the upper size and the target are not") {
    val files = Vector(file(1, 2, 99), file(2, 3, 100), file(3, 4, 199), file(4, 5, 200))
    assert(
      plan(files: _*)(anything.copy(leastBytes = 100, belowBytes = 200)) == Vector(Vector(2L, 3L))
    )
    assert(plan(file(1, 2, 1000), file(2, 3, 1000))(anything) == Vector.empty)
  }

  test("only so many groups are made, the oldest first") {
    val files = Vector(in(Some("b"), file(1, 2, 1)), in(None, file(2, 2, 1)))
    val more = files.map(f => f.copy(id = DataFileId(f.id.value + 2)))
    assert(plan(files ++ more: _*)(anything) == Vector(Vector(1L, 3L), Vector(2L, 4L)))
    assert(plan(files ++ more: _*)(anything.copy(mostGroups = 1)) == Vector(Vector(1L, 3L)))
  }

  test("files of different partitions, or of none, stay apart") {
    val files = Vector(
      file(1, 2, 1),
      in(Some("a"), file(2, 3, 1)),
      in(None, file(3, 4, 1)),
      file(4, 5, 1),
      in(Some("a"), file(5, 6, 1)),
    )
    assert(plan(files: _*)(anything) == Vector(Vector(1L, 4L), Vector(2L, 5L)))
  }

  test("files of different shapes of the table stay apart") {
    val shapes = Vector(1L, 4L).map(begin => TableShape(SnapshotId(begin), Vector.empty))
    val files = Vector.tabulate(5)(n => file(n.toLong, n + 2L, 1))
    assert(
      ids(FileMergePlan.of(files, shapes, anything)) == Vector(Vector(0L, 1L), Vector(2L, 3L, 4L))
    )
  }

  test(
    "a file has the columns of its youngest rows and stays apart from files with other columns"
  ) {
    val old = Vector(column(1))
    val both = Vector(column(1), column(2))
    val shapes = Vector(TableShape(SnapshotId(1), old), TableShape(SnapshotId(4), both))
    val merged = Vector(file(3, 2, 1), file(4, 2, 1)).map(_.copy(last = SnapshotId(5)))
    val files =
      Vector(file(1, 2, 1), file(2, 3, 1)) ++ merged ++ Vector(file(5, 4, 1), file(6, 5, 1))
    val groups = FileMergePlan.of(files, shapes, anything)
    assert(ids(groups) == Vector(Vector(1L, 2L), Vector(3L, 4L), Vector(5L, 6L)))
    assert(groups.map(_.columns) == Vector(old, both, both))
  }

  test("files with rows of two shapes without new columns are grouped by their first rows") {
    val renamed = column(1).copy(name = "other")
    val shapes =
      Vector(1L -> column(1), 4L -> renamed).map(s => TableShape(SnapshotId(s._1), Vector(s._2)))
    val flushed = file(2, 3, 1).copy(last = SnapshotId(5))
    val files = Vector(file(1, 2, 1), flushed, file(3, 4, 1), file(4, 5, 1))
    assert(ids(FileMergePlan.of(files, shapes, anything)) == Vector(Vector(1L, 2L), Vector(3L, 4L)))
  }

  test("consecutive row ids have a first") {
    def first(files: DataFile*) =
      FileMergePlan.of(files.toVector, oneShape, anything).flatMap(_.firstRowId)
    assert(first(file(1, 2, 1, Some(20)), file(2, 3, 1, Some(30))) == Vector(20L))
    assert(first(file(1, 2, 1, Some(20)), file(2, 3, 1, Some(31))).isEmpty)
    assert(first(file(1, 2, 1, Some(20)), file(2, 3, 1)).isEmpty)
  }

  private def deleted(rows: Int, of: DataFile): DataFile =
    of.copy(inlinedDeletes = Vector.range(0L, rows.toLong))

  private def thinned(files: DataFile*)(limits: FileMergeLimits): Vector[Vector[Long]] =
    ids(FileMergePlan.withDeletes(files.toVector, oneShape, limits, !_.hasDeletes))

  test("small files with deletes are put together, those without stay for a merge") {
    val files = Vector.tabulate(4)(n => file(n.toLong, n + 2L, 100))
    assert(
      thinned(files(0), deleted(1, files(1)), files(2), deleted(1, files(3)))(anything) ==
        Vector(Vector(1L, 3L))
    )
  }

  test("a small file with deletes is taken alone only beside another small file") {
    assert(thinned(deleted(1, file(1, 2, 100)))(anything) == Vector.empty)
    assert(thinned(deleted(1, file(1, 2, 100)), file(2, 3, 100))(anything) == Vector(Vector(1L)))
    assert(
      thinned(deleted(1, in(Some("a"), file(1, 2, 100))), in(Some("b"), file(2, 3, 100)))(
        anything
      ) == Vector.empty
    )
    assert(thinned(deleted(1, file(1, 2, 100)), file(2, 3, 1000))(anything) == Vector.empty)
  }

  test("a group of files with deletes ends when the target is left of its files") {
    val files = Vector.tabulate(4)(n => deleted(5, file(n.toLong, n + 2L, 900)))
    assert(thinned(files: _*)(anything) == Vector(Vector(0L, 1L, 2L)))
    assert(
      thinned(files: _*)(anything.copy(targetBytes = 901)) == Vector(Vector(0L, 1L, 2L))
    )
    assert(thinned(files.map(deleted(10, _)): _*)(anything) == Vector(Vector(0L, 1L, 2L, 3L)))
  }

  test("one file with deletes of an older shape is left, because its new file has the newest") {
    val shapes = Vector(1L, 4L).map(begin => TableShape(SnapshotId(begin), Vector.empty))
    def plan(files: DataFile*) =
      ids(FileMergePlan.withDeletes(files.toVector, shapes, anything, !_.hasDeletes))
    val (old, young) = (file(1, 2, 100), file(3, 5, 100))
    assert(plan(deleted(1, old), file(2, 3, 100)) == Vector.empty)
    assert(plan(deleted(1, old), deleted(1, file(2, 3, 100))) == Vector(Vector(1L, 2L)))
    assert(plan(deleted(1, young), file(4, 6, 100)) == Vector(Vector(3L)))
  }

  test("the groups with the most files come first when asked for, equal ones by their first file") {
    val sizes = Vector("a" -> 2, "b" -> 3, "c" -> 2, "d" -> 4)
    val files = sizes.zipWithIndex.flatMap { case ((partition, count), first) =>
      Vector.tabulate(count)(n => in(Some(partition), file(10L * first + n, 2L + n, 100)))
    }
    val few = anything.copy(mostGroups = 3)
    def firsts(limits: FileMergeLimits) = plan(files: _*)(limits).map(_.head)
    assert(firsts(few) == Vector(0L, 10L, 20L))
    assert(firsts(few.copy(order = MergeOrder.MostFilesFirst)) == Vector(30L, 10L, 0L))
  }
}
