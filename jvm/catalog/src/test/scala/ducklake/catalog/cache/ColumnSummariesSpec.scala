package ducklake.catalog.cache

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class ColumnSummariesSpec extends AnyFunSuite {
  private val flags = ColumnIndex.Flags
  private val some = flags.someValues | flags.noNulls

  /** A file's bounds, flags of its counts, and number of NULLs. */
  private type File = (Option[String], Option[String], Long, Long)

  private def file(min: String, max: String): File = (Some(min), Some(max), some, 0L)
  private def nulls(min: String, max: String, count: Long): File =
    (Some(min), Some(max), flags.someValues | flags.someNulls, count)
  private def onlyNulls(count: Long): File = (None, None, flags.noValues | flags.someNulls, count)

  private def summary(dataType: LakeType.Primitive, size: Int, files: File*): ColumnSummary = {
    val builder = new ColumnIndexBuilder(dataType, size)
    files.zipWithIndex.foreach { case ((min, max, counts, nullCount), at) =>
      builder.put(at, min, max, counts.toInt, nullCount)
    }
    ColumnSummaries.of(builder.build())
  }

  private def all(dataType: LakeType.Primitive, files: File*): ColumnSummary =
    summary(dataType, files.size, files: _*)

  test("the least, the greatest and the NULLs of all files") {
    val found = all(LakeType.Int32, file("3", "7"), onlyNulls(4), nulls("-12", "5", 2))

    assert(found.min.contains(Literal.Integral(-12)))
    assert(found.max.contains(Literal.Integral(7)))
    assert(found.nulls.contains(6L))
  }

  test("files without any value, and no files, have NULL") {
    val nothing = ColumnSummary(Some(Literal.Null), Some(Literal.Null), Some(5L))

    assert(all(LakeType.Int64, onlyNulls(2), onlyNulls(3)) == nothing)
    assert(all(LakeType.Int64) == nothing.copy(nulls = Some(0L)))
  }

  test("a file that says to have neither values nor NULLs says nothing, not even its bounds") {
    val invented = (Some("1"), Some("2"), flags.noValues | flags.noNulls, 0L)

    Seq(LakeType.Int32, LakeType.Varchar, LakeType.Float64).foreach { each =>
      assert(all(each, file("1", "2"), invented) == ColumnSummary(None, None, None))
    }
  }

  test("nothing is known when a file has no row") {
    assert(summary(LakeType.Int32, 2, file("1", "2")) == ColumnSummary(None, None, None))
  }

  test("what one file does not say is not known of all") {
    val withoutMax: File = (Some("1"), None, some, 0L)
    val withoutNulls: File = (Some("1"), Some("9"), flags.someValues, 0L)

    assert(all(LakeType.Int32, file("3", "7"), withoutMax).max.isEmpty)
    assert(all(LakeType.Int32, file("3", "7"), withoutMax).min.contains(Literal.Integral(1)))
    assert(all(LakeType.Int32, file("3", "7"), withoutNulls).nulls.isEmpty)
  }

  test("bounds that may be cut or may be of another number are not used") {
    val plain: File = (Some("2.0"), Some("4.0"), some, 0L)
    val noNan: File = (Some("2.0"), Some("4.0"), some | flags.noNan, 0L)

    assert(all(LakeType.Varchar, file("a", "b")).min.isEmpty)
    assert(all(LakeType.Float64, plain).max.isEmpty)
    assert(all(LakeType.Float64, noNan).max.contains(Literal.Floating(4.0)))
    assert(all(LakeType.Float64, file("0.5", "0.7")).min.isEmpty)
  }

  test("texts are the least and the greatest when the catalog says so of every file") {
    val both = some | flags.minIsValue | flags.maxIsValue
    val whole: File = (Some("b"), Some("x"), both, 0L)
    val cut: File = (Some("a"), Some("y"), some | flags.minIsValue, 0L)
    val older = new ColumnIndexBuilder(LakeType.Varchar, 1)
    older.put(0, Some("c"), Some("d"), both.toInt, 0L)
    val copy = new ColumnIndexBuilder(LakeType.Varchar, 1)
    copy.copy(0, older.build(), 0)

    assert(all(LakeType.Varchar, whole, onlyNulls(1)).max.contains(Literal.Text("x")))
    assert(all(LakeType.Varchar, whole, cut).min.contains(Literal.Text("a")))
    assert(all(LakeType.Varchar, whole, cut).max.isEmpty)
    assert(ColumnSummaries.of(copy.build()).max.contains(Literal.Text("d")))
  }

  test("an older index keeps its NULLs when it is copied") {
    val older = new ColumnIndexBuilder(LakeType.Int32, 2)
    older.put(0, Some("1"), Some("2"), (flags.someValues | flags.someNulls).toInt, 3L)
    older.put(1, Some("0"), Some("9"), some.toInt, 0L)
    val newer = new ColumnIndexBuilder(LakeType.Int32, 1)
    newer.copy(0, older.build(), 0)

    val found = ColumnSummaries.of(newer.build())

    assert(found == ColumnSummary(Some(Literal.Integral(1)), Some(Literal.Integral(2)), Some(3L)))
  }
}
