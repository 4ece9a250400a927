package ducklake.catalog.sql.query

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.PostgresDialect
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.SqliteDialect
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Which inlined rows a database hands out, for filters that it can answer and for others. */
class InlinedFilterSpec extends AnyFunSuite with CommitFixtures {
  import Predicate.*

  private val id = ColumnId(1)
  private val name = ColumnId(2)

  private val rows = Vector(
    1L -> Literal.Text("a"),
    2L -> Literal.Text("it's"),
    3L -> Literal.Null,
    -4L -> Literal.Text("A"),
    5L -> Literal.Text(""),
  )

  private lazy val lakes: Map[String, LakeSnapshot] =
    Vector("sqlite", "duckdb").map(kind => kind -> filled(kind)).toMap

  private def filled(kind: String): LakeSnapshot = {
    val file = Files.createTempDirectory("lake").resolve("lake.db").toString
    val uri = if (kind == "sqlite") CatalogUri.Sqlite(file) else CatalogUri.DuckDb(file)
    val lake = Lakes.open(settings(uri))
    val made = lake.commit(pending(lake.prepareToWrite(), create(lake.prepareToWrite(), "t")))
    made.orThrow: Unit
    val base = lake.newest().getOrElse(fail("no snapshot"))
    val table = TableTarget.Existing(tableOf(base, "t"))
    val inlined = rows.map { case (number, text) =>
      NewInlinedRow(None, Vector(Literal.Integral(number), text))
    }
    lake.commit(pending(base, Operation.AppendInlined(table, inlined))).orThrow: Unit
    lake.newest().getOrElse(fail("no snapshot"))
  }

  private def ids(at: LakeSnapshot, limit: Option[Long], predicates: Predicate*): Set[Long] = {
    val table = tableOf(at, "t")
    val kept = new CollectedRows
    val inlined = InlinedRequest(table.columns.take(1), limit, kept)
    at.files(table, FileRequest(predicates.toVector, Set.empty, Some(inlined))): Unit
    kept.rows.flatMap(_.values).collect { case Literal.Integral(value) => value }.toSet
  }

  private def compare(operator: Comparison, value: Long): Predicate =
    Compare(id, operator, Literal.Integral(value))

  private def text(operator: Comparison, value: String): Predicate =
    Compare(name, operator, Literal.Text(value))

  private val all = rows.map(_._1).toSet

  Vector[(String, Predicate, Set[Long])](
    ("equal numbers", compare(Comparison.Equal, 2), Set(2)),
    ("other numbers", compare(Comparison.NotEqual, 2), all - 2),
    ("smaller numbers", compare(Comparison.Less, 1), Set(-4)),
    ("numbers up to a bound", compare(Comparison.LessOrEqual, 1), Set(1, -4)),
    ("greater numbers", compare(Comparison.Greater, 3), Set(5)),
    ("numbers from a bound", compare(Comparison.GreaterOrEqual, 3), Set(3, 5)),
    ("a list of numbers", In(id, Vector(Literal.Integral(5), Literal.Integral(-4))), Set(5, -4)),
    ("an equal text", text(Comparison.Equal, "it's"), Set(2)),
    ("an empty text", text(Comparison.Equal, ""), Set(5)),
    ("other texts, without NULL", text(Comparison.NotEqual, "a"), Set(2, -4, 5)),
    ("a list of texts", In(name, Vector(Literal.Text("A"), Literal.Text("b"))), Set(-4)),
    ("NULLs", IsNull(name), Set(3)),
    ("values", IsNotNull(name), all - 3),
    (
      "the opposite of an equal text, without NULL",
      Not(text(Comparison.Equal, "a")),
      Set(2, -4, 5),
    ),
    ("both sides", And(compare(Comparison.Greater, 0), IsNotNull(name)), Set(1, 2, 5)),
    ("either side", Or(compare(Comparison.Less, 0), IsNull(name)), Set(3, -4)),
    (
      "one side when the other is not answered",
      And(StartsWith(name, "a"), IsNotNull(name)),
      all - 3,
    ),
    (
      "everything when one of two sides is not answered",
      Or(StartsWith(name, "a"), IsNull(name)),
      all,
    ),
    ("everything, for an order of texts", text(Comparison.Less, "B"), all),
    ("everything, for the opposite of what is not answered", Not(StartsWith(name, "a")), all),
    ("everything, for a column that is not there", IsNull(ColumnId(9)), all),
  ).foreach { case (what, predicate, expected) =>
    lakes.keys.toVector.sorted.foreach { kind =>
      test(s"$kind hands out $what")(assert(ids(lakes(kind), None, predicate) == expected))
    }
  }

  test("a limit ends the read") {
    lakes.values.foreach(at => assert(ids(at, Some(2), compare(Comparison.Greater, 0)).size == 2))
  }

  test("PostgreSQL compares numbers of any stored form, and leaves texts to the reader") {
    val filter = new InlinedFilter(
      PostgresDialect("public"),
      Vector(column(1, "id", LakeType.Int32) -> "i d", column(2, "n", LakeType.Varchar) -> "n"),
      Vector(column(1, "id", LakeType.Int64), column(2, "n", LakeType.Varchar)),
    )

    val found = filter.condition(Vector(compare(Comparison.Equal, 7), text(Comparison.Equal, "a")))

    assert(found.contains(Sql("(CAST(\"i d\" AS bigint) = ?)", Vector(Bind.Number(7)))))
  }

  test("a column whose type was another kind of number is left to the reader") {
    val filter = new InlinedFilter(
      SqliteDialect,
      Vector(column(1, "id", LakeType.Float32) -> "id"),
      Vector(column(1, "id", LakeType.Float64)),
    )

    val asked = Compare(id, Comparison.Equal, Literal.Floating(0.1))

    assert(filter.condition(Vector(asked)).isEmpty)
    assert(filter.condition(Vector(IsNull(id))).contains(Sql("(\"id\" IS NULL)", Vector.empty)))
  }
}
