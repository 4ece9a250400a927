package ducklake.catalog.change.statistics

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

/** Table statistics always contain the truth. Source: format 3.4. */
class StatsMergeSpec extends AnyFunSuite {

  private val id = ColumnId(1)

  private def file(
      statistics: Option[ColumnStatistics],
      rowIds: RowIds = RowIds.Fresh,
  ): NewDataFile =
    NewDataFile(
      "f",
      10,
      PhysicalFile(100, 20, 1),
      rowIds,
      None,
      statistics.map(id -> _).toMap,
    )

  private def column(
      min: Option[Literal],
      max: Option[Literal],
      values: Long,
      nulls: Long,
      nan: Option[Boolean] = None,
  ): Option[ColumnStatistics] =
    Some(ColumnStatistics(min, max, Some(values), Some(nulls), nan, None))

  private def whole(min: Long, max: Long): Option[ColumnStatistics] =
    column(Some(Literal.Integral(min)), Some(Literal.Integral(max)), 10, 0)

  private val onlyNull = column(None, None, 0, 10)

  private def merged(lakeType: LakeType.Primitive, files: NewDataFile*): TableStatistics =
    files
      .foldLeft(Option.empty[TableStatistics]) { (known, next) =>
        Some(StatsMerge.add(known, next.rows, Map(id -> lakeType)))
      }
      .getOrElse(fail("no file"))

  private def bounds(statistics: TableStatistics): Option[(Option[String], Option[String])] =
    statistics.columns.get(id).map(found => (found.min, found.max))

  test("counts and row ids add up; rows that keep their ids take none") {
    val after = merged(LakeType.Int64, file(whole(1, 2)), file(whole(1, 2), RowIds.Embedded))
    assert(after.recordCount == Some(20L))
    assert(after.nextRowId == 10)
    assert(after.fileSizeBytes == 200)
  }

  test("bounds widen by value, not by text") {
    val after = merged(LakeType.Int64, file(whole(9, 9)), file(whole(10, 10)))
    assert(bounds(after).contains((Some("9"), Some("10"))))
  }

  test("a file of NULL alone adds that there is NULL, and no bounds") {
    val after = merged(LakeType.Int64, file(whole(1, 5)), file(onlyNull))
    assert(bounds(after).contains((Some("1"), Some("5"))))
    assert(after.columns.get(id).flatMap(_.containsNull).contains(true))
  }

  test("bounds begin with the first value after NULL alone") {
    val after = merged(LakeType.Int64, file(onlyNull), file(whole(1, 5)))
    assert(bounds(after).contains((Some("1"), Some("5"))))
  }

  test("a column with an unknown bound is no longer known, and stays so") {
    val unknown = file(column(None, None, 10, 0))
    assert(bounds(merged(LakeType.Int64, file(whole(1, 5)), unknown)).isEmpty)
    assert(bounds(merged(LakeType.Int64, unknown, file(whole(1, 5)))).isEmpty)
  }

  test("a file that says nothing of a column makes it unknown") {
    assert(bounds(merged(LakeType.Int64, file(whole(1, 5)), file(None))).isEmpty)
  }

  test("types without bounds keep their entry") {
    val some = column(None, None, 10, 0)
    val after = merged(LakeType.Int128, file(some), file(some))
    assert(bounds(after).contains((None, None)))
  }

  test("a number of rows that is not known stays so") {
    val known = merged(LakeType.Int64, file(whole(1, 2))).copy(recordCount = None)
    val after = StatsMerge.add(Some(known), file(whole(1, 2)).rows, Map(id -> LakeType.Int64))
    assert(after.recordCount.isEmpty && after.nextRowId == 20)
  }

  test("bounds of texts are exact when no file cuts them, and the wider one decides") {
    def texts(min: String, max: String, areValues: Boolean) = {
      val known = column(Some(Literal.Text(min)), Some(Literal.Text(max)), 10, 0)
      file(known.map(_.copy(minIsValue = areValues, maxIsValue = areValues)))
    }
    def exact(files: NewDataFile*) =
      merged(LakeType.Varchar, files: _*).columns.get(id).map(c => (c.minIsExact, c.maxIsExact))
    assert(exact(texts("a", "b", areValues = true)).contains((Some(true), Some(true))))
    assert(exact(texts("a", "b" * 300, areValues = true)).contains((Some(true), Some(false))))
    val cut = texts("a", "b" * 300, areValues = true)
    val sent = cut.statistics.transform((_, known) => known.truncated(LakeType.Varchar))
    assert(exact(cut.copy(statistics = sent)).contains((Some(true), Some(false))))
    assert(exact(texts("a", "b", areValues = false)).contains((Some(false), Some(false))))
    val (inner, outer) = (texts("b", "c", areValues = false), texts("a", "c", areValues = true))
    assert(exact(inner, outer).contains((Some(true), Some(false))))
  }

  test("NaN is recorded only when it was looked for") {
    def floats(nan: Option[Boolean]) =
      file(column(Some(Literal.Floating(1)), Some(Literal.Floating(2)), 10, 0, nan))
    def answer(files: NewDataFile*) =
      merged(LakeType.Float64, files: _*).columns.get(id).flatMap(_.containsNan)
    assert(answer(floats(Some(false)), floats(Some(false))).contains(false))
    assert(answer(floats(Some(false)), floats(Some(true))).contains(true))
    assert(answer(floats(Some(false)), floats(None)).isEmpty)
  }

  test("files may be added up before they are added to a table") {
    val floats = Vector(
      column(Some(Literal.Floating(1)), Some(Literal.Floating(2)), 5, 0, Some(false)),
      column(Some(Literal.Floating(-3)), Some(Literal.Floating(1)), 5, 2, None),
      column(None, None, 0, 10, Some(true)),
      column(None, None, 10, 0),
      None,
    )
    val some = for {
      size <- 0 to 3
      chosen <- floats.combinations(size).flatMap(_.permutations)
    } yield chosen.map(file(_))
    val leaves = Map(id -> LakeType.Float64)

    for {
      before <- some
      more <- some
      total <- StatsMerge.total(more.iterator.map(_.rows), leaves)
    } {
      val known = StatsMerge.total(before.iterator.map(_.rows), leaves)
      val atOnce = StatsMerge.total((before ++ more).iterator.map(_.rows), leaves)
      assert(atOnce.contains(StatsMerge.addTotal(known, total, leaves)))
    }
  }
}
