package ducklake.catalog.listing

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

final class FileFactsSpec extends AnyFunSuite {
  private val column = ColumnId(1)

  private def file(deleted: Vector[Long] = Vector.empty): DataFile =
    DataFile(
      DataFileId(1),
      "/data/1.parquet",
      sizeBytes = 1000,
      footerSize = 0,
      recordCount = 10,
      FirstRowId.of(Some(0)),
      SnapshotId(1),
      SnapshotId(1),
      RowVisibility.All,
      mapping = None,
      Map.empty,
      partition = None,
      FileEncryption.Absent,
      Vector.empty,
      deleted,
    )

  private def statistics(min: Long, max: Long, nulls: Long): ColumnStatistics = {
    def bound(value: Long) = Some(Literal.Integral(value))
    ColumnStatistics(bound(min), bound(max), Some(10 - nulls), Some(nulls), None, None)
  }

  private def facts(of: DataFile, known: ColumnStatistics): FileFacts =
    new FileFacts(of, Map(column -> known).get)

  test("a file without deletes has exact bounds and counts") {
    val known = facts(file(), statistics(3, 9, nulls = 2))

    assert(known.rows.contains(10L))
    assert(known.nulls(column).contains(2L))
    assert(known.min(column, LakeType.Int32).contains(Literal.Integral(3)))
    assert(known.max(column, LakeType.Int32).contains(Literal.Integral(9)))
    assert(known.only(column, LakeType.Int32).isEmpty)
  }

  test("of a file with deletes only the number of rows is known, and that there is no NULL") {
    val known = facts(file(Vector(1L, 4L)), statistics(3, 9, nulls = 2))

    assert(known.rows.contains(8L))
    assert(known.nulls(column).isEmpty)
    assert(known.min(column, LakeType.Int32).isEmpty)
    assert(facts(file(Vector(1L)), statistics(3, 9, nulls = 0)).nulls(column).contains(0L))
  }

  test("one value is known where both bounds are this value and no row has NULL") {
    val one = Some(Literal.Integral(5))
    assert(facts(file(Vector(1L)), statistics(5, 5, nulls = 0)).only(column, LakeType.Int32) == one)
    assert(facts(file(), statistics(5, 5, nulls = 1)).only(column, LakeType.Int32).isEmpty)
    val nulls = ColumnStatistics(None, None, Some(0), Some(10), None, None)
    assert(facts(file(), nulls).only(column, LakeType.Int32).contains(Literal.Null))
    assert(facts(file(), nulls).min(column, LakeType.Int32).contains(Literal.Null))
  }

  test("of a registered file the number of rows and the values from its path are known") {
    val registered = file().copy(
      mapping = Some(MappingId(3)),
      constants = Map(ColumnId(2) -> Literal.Integral(7), ColumnId(3) -> Literal.Null),
    )
    val known = facts(registered, statistics(5, 5, nulls = 0))

    assert(known.rows.contains(10L))
    assert(known.only(ColumnId(2), LakeType.Int32).contains(Literal.Integral(7)))
    assert(known.only(ColumnId(3), LakeType.Int32).contains(Literal.Null))
    assert(known.only(column, LakeType.Int32).isEmpty)
    assert(known.nulls(column).isEmpty)
    assert(known.min(column, LakeType.Int32).isEmpty && known.max(column, LakeType.Int32).isEmpty)
  }

  test("rows of later snapshots are not counted") {
    val later = file().copy(visibility = RowVisibility.upTo(SnapshotId(1)))

    assert(facts(later, statistics(5, 5, nulls = 0)).rows.isEmpty)
  }
}
