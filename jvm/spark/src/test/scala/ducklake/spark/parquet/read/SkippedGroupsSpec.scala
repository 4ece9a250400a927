package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Path

/** Row groups of 2048 rows: which of them are read shows what a predicate skipped. */
class SkippedGroupsSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles
  private val groupRows = 2048

  override protected def afterAll(): Unit = files.close()

  private lazy val file = files.write(
    "groups.parquet",
    s"""SELECT range AS n, range::INT AS small, (range / 100)::DECIMAL(10, 2) AS price,
       |  CASE WHEN range = 5000 THEN 'nan'::DOUBLE WHEN range = 0 THEN -0.0 ELSE range END AS real,
       |  'k' || lpad(range::VARCHAR, 5, '0') AS text, DATE '2020-01-01' + (range // 2048)::INT AS day,
       |  CASE WHEN range < 4096 THEN NULL ELSE range END AS late, {'x': range} AS s
       |FROM range(3 * $groupRows)""".stripMargin,
    "{n: 1, small: 2, price: 3, real: 4, text: 5, day: 6, late: 7, s: {__duckdb_field_id: 8, x: 9}}",
    s", ROW_GROUP_SIZE $groupRows",
  )

  private val columns: Vector[Column] = Vector(
    column(1, "n", LakeType.Int64),
    column(2, "renamed", LakeType.Float64),
    column(3, "price", LakeType.Decimal(10, 2)),
    column(4, "real", LakeType.Float64),
    column(5, "text", LakeType.Varchar),
    column(6, "day", LakeType.Date),
    column(7, "late", LakeType.Int64),
    column(8, "s", LakeType.StructType, Vector(column(9, "x", LakeType.Int64))),
    column(10, "missing", LakeType.Int64, initialDefault = Some("7")),
  )

  /** The row groups that are read, by number. */
  private def groups(predicates: Predicate*): Set[Long] = groupsOf(file, predicates*)

  private def groupsOf(of: Path, predicates: Predicate*): Set[Long] = {
    val spec = TaskRows
      .spec((ReadColumn.FileRowNumber +: columns.map(data))*)
      .copy(predicates = predicates.toVector, readsKeysFirst = false)
    TaskRows.of(spec, TaskRows.part(of)).map(_.head.asInstanceOf[Long] / groupRows).toSet
  }

  private val every = Set(0L, 1L, 2L)

  private def compare(id: Long, operator: Comparison, value: Literal): Predicate =
    Predicate.Compare(ColumnId(id), operator, value)

  private def number(value: Long): Literal = Literal.Integral(value)

  private def real(value: Double): Literal = Literal.Floating(value)

  test("comparisons skip what their bounds rule out") {
    assert(groups(compare(1, Comparison.Equal, number(3000))) == Set(1L))
    assert(groups(compare(1, Comparison.Less, number(2048))) == Set(0L))
    assert(groups(compare(1, Comparison.GreaterOrEqual, number(4096))) == Set(2L))
    assert(groups(compare(9, Comparison.Greater, number(4095))) == Set(2L))
    assert(groups(compare(6, Comparison.Equal, Literal.Date(18263))) == Set(1L))
    assert(
      groups(compare(3, Comparison.Less, Literal.Dec(new java.math.BigDecimal("1.00")))) == Set(0L)
    )
    assert(groups(Predicate.In(ColumnId(1), Vector(number(1), number(5000)))) == Set(0L, 2L))
    assert(groups(Predicate.StartsWith(ColumnId(5), "k03")) == Set(1L))
  }

  test("a conjunction skips by what can be said, a disjunction only when all can") {
    val first = compare(1, Comparison.Less, number(10))
    val unsaid = compare(10, Comparison.Equal, number(7))

    assert(groups(Predicate.And(first, unsaid)) == Set(0L))
    assert(groups(first, unsaid) == Set(0L))
    assert(groups(Predicate.Or(first, unsaid)) == every)
    assert(groups(Predicate.Or(first, compare(1, Comparison.Greater, number(5000)))) == Set(0L, 2L))
    assert(groups(Predicate.Not(Predicate.And(first, unsaid))) == every)
    assert(groups(Predicate.Not(Predicate.Or(first, unsaid))) == every)
    assert(groups(Predicate.Not(compare(1, Comparison.Less, number(4096)))) == Set(2L))
  }

  test("tests on NULL skip groups without and of only NULLs") {
    assert(groups(Predicate.IsNull(ColumnId(7))) == Set(0L, 1L))
    assert(groups(Predicate.IsNotNull(ColumnId(7))) == Set(2L))
    assert(groups(Predicate.Not(Predicate.IsNull(ColumnId(7)))) == Set(2L))
  }

  private def seldom(name: String, options: String): Path =
    files.write(
      name,
      s"""SELECT range AS n, range::INT AS small, 0::DECIMAL(10, 2) AS price, 0::DOUBLE AS real,
         |  CASE range % 2 WHEN 0 THEN 'a' || range // $groupRows ELSE 'y' END AS text
         |FROM range(3 * $groupRows)""".stripMargin,
      "{n: 1, small: 2, price: 3, real: 4, text: 5}",
      s", ROW_GROUP_SIZE $groupRows$options",
    )

  Vector(
    ("bloom filters", seldom("filters.parquet", "")),
    ("dictionaries", seldom("dictionaries.parquet", ", WRITE_BLOOM_FILTER false")),
  ).foreach { case (means, written) =>
    test(s"$means skip groups whose bounds have the value between them") {
      def found(predicates: Predicate*) = groupsOf(written, predicates*)
      def text(value: String) = compare(5, Comparison.Equal, Literal.Text(value))
      val (low, high) = (number(2L * groupRows), number(3L * groupRows))

      assert(found(text("a1")) == Set(1L))
      assert(found(text("b")) == Set.empty)
      assert(found(text("b"), compare(1, Comparison.GreaterOrEqual, number(0))) == Set.empty)
      assert(found(Predicate.Or(text("b"), compare(1, Comparison.Less, low))) == Set(0L, 1L))
      assert(
        found(Predicate.Or(text("b"), compare(1, Comparison.GreaterOrEqual, high))) == Set.empty
      )
      assert(
        found(
          Predicate.In(ColumnId(5), Vector.tabulate(20)(n => Literal.Text(s"b$n")))
        ) == Set.empty
      )
      assert(found(Predicate.Not(text("b"))) == every)
    }
  }

  test("what is not a number is above every number and never skipped") {
    assert(groups(compare(4, Comparison.Greater, real(1e9))) == every)
    assert(groups(compare(4, Comparison.Equal, real(Double.NaN))) == every)
    assert(groups(compare(4, Comparison.Less, real(10))).contains(0L))
  }

  test("both zeros are one number") {
    assert(groups(compare(4, Comparison.Equal, real(0.0))).contains(0L))
    assert(groups(compare(4, Comparison.LessOrEqual, real(-0.0))).contains(0L))
    assert(groups(Predicate.In(ColumnId(4), Vector(real(0.0)))).contains(0L))
  }

  test("columns that were widened or are missing skip nothing") {
    assert(groups(compare(2, Comparison.Equal, real(1.0))) == every)
    assert(groups(compare(10, Comparison.Equal, number(8))) == every)
    assert(groups(compare(99, Comparison.Equal, number(8))) == every)
  }
}
