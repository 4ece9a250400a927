package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

class PartitionSpecChangeSpec extends AnyFunSuite {

  private val draft: TableDraft = TableDraft.ofNew(
    "main.t",
    TableDefinition(
      SchemaId(0),
      "t",
      Vector(
        Columns.leaf(0, "id", "int32"),
        Columns.leaf(0, "ts", "timestamp"),
        Columns.leaf(0, "key", "varchar"),
        Columns.listOf(0, "int32"),
      ),
      Map.empty,
      Vector.empty,
      Vector.empty,
    ),
    FormatVersion.V10,
  )

  private def by(column: String, transform: Transform) =
    PartitionSpecChange.NamedKey(column, transform)

  private def why(result: SchemaChange.Result): String =
    result match {
      case Left(LakeError.InvalidChange(_, reason)) => reason
      case other => fail(s"not refused: $other")
    }

  test("keys are numbered in order, and one that comes up twice counts once") {
    val keys = Vector(
      by("TS", Transform.Year),
      by("ts", Transform.Month),
      by("ts", Transform.Year),
      by("id", Transform.Bucket(4)),
    )

    val changed = PartitionSpecChange.set(draft, keys)

    assert(
      changed.map(_.definition.partition) == Right(
        Vector(
          PartitionKey(0, ColumnId(2), Transform.Year),
          PartitionKey(1, ColumnId(2), Transform.Month),
          PartitionKey(2, ColumnId(1), Transform.Bucket(4)),
        )
      )
    )
  }

  test("a key must go with its column") {
    def set(key: PartitionSpecChange.NamedKey) =
      PartitionSpecChange.set(draft, Vector(key))

    assert(why(set(by("nope", Transform.Identity))).contains("no such column"))
    assert(why(set(by("l", Transform.Identity))).contains("no such key"))
    assert(why(set(by("key", Transform.Year))).contains("no such key"))
  }

  test("a hash is not put over rows, unless nothing changes") {
    val keys = Vector(by("id", Transform.Bucket(4)))
    val hashed = PartitionSpecChange.set(draft, keys).getOrElse(fail())
    val full = hashed.copy(rows = RowPresence.HasRows)

    assert(
      why(PartitionSpecChange.set(draft.copy(rows = RowPresence.HasRows), keys))
        .contains("has rows")
    )
    assert(PartitionSpecChange.set(full, keys) == Right(full))
    assert(
      PartitionSpecChange.set(full, Vector.empty).map(_.definition.partition) ==
        Right(Vector.empty)
    )
  }

  test("sort keys are in DuckDB's words") {
    val keys = Vector(
      SortChange.NamedKey("KEY", SortDirection.Descending, NullOrder.First),
      SortChange.NamedKey("id", SortDirection.Ascending, NullOrder.Last),
    )

    val sorted = SortChange.set(draft, keys).map(_.definition.sort)

    assert(
      sorted == Right(
        Vector(
          SortKey("\"key\"", "duckdb", SortDirection.Descending, NullOrder.First),
          SortKey("id", "duckdb", SortDirection.Ascending, NullOrder.Last),
        )
      )
    )
  }

  test("names in an expression are found and replaced, strings and functions are not") {
    val expression = """lower("a b") || 'a b' || (ab + lower(x))"""

    assert(SortText.names(expression) == Vector("a b", "ab", "x"))
    assert(
      SortText.replaceNames(expression)(name => Option.when(name == "a b")("c")) ==
        """lower(c) || 'a b' || (ab + lower(x))"""
    )
  }

  test("what DuckDB prints around names is no name") {
    def names(expression: String) = SortText.names(expression)

    assert(names("\"year\"(ts)") == Vector("ts"))
    assert(names("CAST(ts AS \"DATE\")") == Vector("ts"))
    assert(names("(CAST(a AS DECIMAL(10, 2)) + b)") == Vector("a", "b"))
    assert(names("CAST(a AS STRUCT(x DECIMAL(3, 1), y INTEGER)) || b") == Vector("a", "b"))
    assert(names("\"system\".main.date_part('year', ts)") == Vector("ts"))
    assert(names("CASE  WHEN ((a > 1)) THEN (1) ELSE b END") == Vector("a", "b"))
    assert(names("COALESCE(a, \"year\")") == Vector("a", "year"))
    assert(names("x COLLATE nocase") == Vector("x"))
    assert(names("main.struct_pack(a := b)") == Vector("b"))
    assert(names("(a IN (1, 2))") == Vector("a"))
    assert(names("(a IS NULL)") == Vector("a"))
    assert(names("main.upper(n)") == Vector("n"))
  }

  test("a name behind a point is a struct field or a function, and no column") {
    def names(expression: String) = SortText.names(expression)

    assert(names("(s).a") == Vector("s"))
    assert(names("((s).a).b") == Vector("s"))
    assert(names("((s).a + a)") == Vector("s", "a"))
    assert(names("(s).\"b c\"") == Vector("s"))
    assert(names("(main.struct_pack(a := a)).a") == Vector("a"))
    assert(names("n.upper()") == Vector("n"))
    assert(names("lower(n.upper())") == Vector("n"))
    assert(names("(1.5 * a)") == Vector("a"))
    assert(
      SortText.replaceNames("((s).a + a)")(name => Option.when(name == "a")("b")) == "((s).a + b)"
    )
  }

  test("the struct fields in an expression are found") {
    assert(SortText.fields("((s).a).\"b c\"") == Vector("a", "b c"))
    assert(SortText.fields("s['it''s']") == Vector("it's"))
    assert(SortText.fields("(1.5 * a)") == Vector.empty)
  }

  test("a directory is a plain name, or the uuid") {
    val uuid = UUID.fromString("01a1ffd4-4194-78c3-9444-bcaf8f0c876b")

    assert(NameRules.directory("a-B_1", uuid).text == "a-B_1/")
    assert(NameRules.directory("a b", uuid).text == s"$uuid/")
    assert(NameRules.directory("é", uuid).text == s"$uuid/")
    assert(NameRules.directory("..", uuid).text == s"$uuid/")
    assert(NameRules.directory("a" * 255, uuid).text == s"${"a" * 255}/")
    assert(NameRules.directory("a" * 256, uuid).text == s"$uuid/")
  }
}
