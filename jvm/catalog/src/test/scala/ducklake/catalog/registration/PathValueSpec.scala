package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

final class PathValueSpec extends AnyFunSuite {

  private def constant(value: Literal): ColumnStatistics =
    ColumnStatistics(Some(value), Some(value), Some(3L), Some(0L), None, Some(0L))

  test("a value is both bounds of its column, with the file's rows as its count") {
    assert(
      PathValue.statistics(Some("007"), LakeType.Int32, 3L) ==
        Right(constant(Literal.Integral(7)))
    )
    assert(
      PathValue.statistics(Some(""), LakeType.Varchar, 3L) == Right(constant(Literal.Text("")))
    )
    assert(
      PathValue.statistics(None, LakeType.Int32, 3L) ==
        Right(ColumnStatistics(None, None, Some(0L), Some(3L), None, Some(0L)))
    )
  }

  test("a value that is none of the type, or that bounds cannot keep, is refused") {
    assert(PathValue.statistics(Some("abc"), LakeType.Int32, 3L).isLeft)
    assert(PathValue.statistics(Some("NaN"), LakeType.Float64, 3L).isLeft)
    assert(PathValue.statistics(Some("a" * 300), LakeType.Varchar, 3L).isLeft)
    assert(PathValue.statistics(Some("1 day"), LakeType.Interval, 3L).isLeft)
    assert(PathValue.statistics(Some("abcd"), LakeType.Blob, 3L).isLeft)
    assert(PathValue.statistics(Some(""), LakeType.Blob, 3L).isLeft)
  }

  test("a value is in the path when every reader finds it there") {
    assert(PathValue.isIn("/in/p=a%20b/x.parquet", "p", "a b", LakeType.Varchar))
    assert(PathValue.isIn("/in/n=007/x.parquet", "n", "7", LakeType.Int32))
    assert(!PathValue.isIn("/in/p=a/x.parquet", "p", "b", LakeType.Varchar))
    assert(!PathValue.isIn("/in/p=a/x.parquet", "q", "a", LakeType.Varchar))
    assert(!PathValue.isIn("/in/p=__HIVE_DEFAULT_PARTITION__/x", "p", "a", LakeType.Varchar))
    assert(!PathValue.isIn("/in/n=x/x.parquet", "n", "x", LakeType.Int32))
  }

  test("an instant of a path depends on the reader's time zone") {
    val path = "/in/at=2020-01-01 00%3A00%3A00/x"
    assert(!PathValue.isIn(path, "at", "2020-01-01 00:00:00", LakeType.TimestampTz))
    assert(PathValue.isIn(path, "at", "2020-01-01 00:00:00", LakeType.Timestamp))
  }
}
