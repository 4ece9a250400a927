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
}
