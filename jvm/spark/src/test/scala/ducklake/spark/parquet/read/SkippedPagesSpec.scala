package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.testkit.PagedFile
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Pages of 100 rows: which rows are decoded shows which pages were read. */
class SkippedPagesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val folder = Files.createTempDirectory("ducklake-pages")
  private val rows = 1000

  override protected def afterAll(): Unit = {
    Files.list(folder).forEach(Files.delete(_))
    Files.delete(folder)
  }

  private lazy val file = PagedFile.write(
    folder.resolve("pages.parquet"),
    "message t { optional int64 k = 1; optional binary x (STRING) = 2; }",
    rows,
    PagedFile.Layout(pageRows = 100, groupRows = 500),
  ) { (row, number) =>
    // Each page has values of its own, in no order.
    row.append("k", number / 100 * 1000L + number * 37 % 100).append("x", s"text $number")
  }

  private val columns: Vector[Column] =
    Vector(column(1, "k", LakeType.Int64), column(2, "x", LakeType.Varchar))

  private val spec: ReadSpec =
    TaskRows.spec((Vector(ReadColumn.FileRowNumber, ReadColumn.RowId) ++ columns.map(data))*)

  private def between(low: Long, high: Long): Vector[Predicate] = Vector(
    Predicate.Compare(ColumnId(1), Comparison.GreaterOrEqual, Literal.Integral(low)),
    Predicate.Compare(ColumnId(1), Comparison.LessOrEqual, Literal.Integral(high)),
  )

  private def read(predicates: Vector[Predicate], deleted: Long*): Vector[Seq[Any]] =
    TaskRows.of(
      spec.copy(predicates = predicates),
      TaskRows
        .part(file)
        .copy(inlinedDeletes = deleted.toArray, recordCount = rows.toLong, rowIdStart = Some(5000L)),
    )

  private def numbers(found: Vector[Seq[Any]]): Vector[Long] =
    found.map(_.head.asInstanceOf[Long])

  test("pages that the column index excludes are not read, with deleted rows beside") {
    Vector(Seq.empty[Long], Seq(0L), Seq(310L, 311L, 720L)).foreach { deleted =>
      val found = read(between(3000, 3099), deleted*)

      assert(numbers(found) == (300L until 400L).filterNot(deleted.contains))
    }
  }

  test("rows behind skipped pages keep their positions, row ids and values") {
    val found = read(between(7000, 7099), 3L, 705L)

    assert(numbers(found) == (700L until 800L).filterNot(_ == 705L))
    found.foreach { row =>
      val number = row.head.asInstanceOf[Long]
      val key = number / 100 * 1000L + number * 37 % 100
      assert(row == Seq[Any](number, 5000L + number, key, s"text $number"))
    }
  }

  test("no page is skipped without a filter") {
    assert(numbers(read(Vector.empty, 999L)) == (0L until 999L))
  }
}
