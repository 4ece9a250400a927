package ducklake.catalog.registration

import ducklake.catalog.model.MappedColumn
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import org.scalatest.funsuite.AnyFunSuite

/** The mappings are those that DuckDB 1.5.5 wrote for the same files. */
final class SchemaMatchSpec extends AnyFunSuite {

  private val strict = MatchRules(allowsMissing = false, ignoresExtra = false)
  private val lenient = MatchRules(allowsMissing = true, ignoresExtra = true)

  private def leaf(name: String, ordinal: Int, lakeType: LakeType.Primitive): FileColumn =
    FileColumn.Leaf(name, ordinal, Some(lakeType))

  private def whole(name: String, ordinal: Int): FileColumn = leaf(name, ordinal, LakeType.Int32)

  private def mapped(name: String, id: Long)(children: MappedColumn*): MappedColumn =
    MappedColumn(name, ColumnId(id), isPartition = false, children.toVector)

  private def of(
      columns: Vector[Column],
      file: Vector[FileColumn],
      rules: MatchRules,
  ): Either[MatchProblem, SchemaMatch] = SchemaMatch.of(columns, file, Vector.empty, rules)

  test("nested columns are mapped by name, elements under fixed names") {
    val columns = Vector(
      Columns.leaf(1, "id", LakeType.Int32),
      Columns.struct(2, "s")(
        Columns.leaf(3, "a", LakeType.Int32),
        Columns.leaf(4, "b", LakeType.Varchar),
      ),
      Columns.list(5, "l")(Columns.leaf(6, "element", LakeType.Int32)),
      Columns.map(7, "m")(
        Columns.leaf(8, "key", LakeType.Varchar),
        Columns.leaf(9, "value", LakeType.Int32),
      ),
    )
    val file = Vector(
      whole("id", 0),
      FileColumn.StructOf("s", Vector(whole("a", 1), leaf("b", 2, LakeType.Varchar))),
      FileColumn.ListOf("l", whole("item", 3)),
      FileColumn.MapOf("m", leaf("k", 4, LakeType.Varchar), whole("v", 5)),
    )

    val found = of(columns, file, strict).map(_.mapping)

    assert(
      found == Right(
        Vector(
          mapped("id", 1)(),
          mapped("s", 2)(mapped("a", 3)(), mapped("b", 4)()),
          mapped("l", 5)(mapped("list", 6)()),
          mapped("m", 7)(mapped("key", 8)(), mapped("value", 9)()),
        )
      )
    )
    assert(of(columns, file, strict).map(_.leaves.map(_.ordinal)) == Right((0 to 5).toVector))
  }

  test("names differ in case, and the mapping keeps those of the file in its order") {
    val columns =
      Vector(Columns.leaf(1, "A", LakeType.Int32), Columns.leaf(2, "b", LakeType.Int32))

    val found = of(columns, Vector(whole("B", 0), whole("a", 1)), strict).map(_.mapping)

    assert(found == Right(Vector(mapped("B", 2)(), mapped("a", 1)())))
  }

  test("missing and extra columns are allowed one by one, at every depth") {
    val columns = Vector(
      Columns.struct(1, "s")(
        Columns.leaf(2, "a", LakeType.Int32),
        Columns.leaf(3, "b", LakeType.Int32),
      )
    )
    val file = Vector(FileColumn.StructOf("s", Vector(whole("a", 0), whole("z", 1))))

    assert(of(columns, file, strict) == Left(MatchProblem.Extra("s.z")))
    assert(
      of(columns, file, MatchRules(allowsMissing = false, ignoresExtra = true)) ==
        Left(MatchProblem.Missing("s.b"))
    )
    assert(
      of(columns, file, MatchRules(allowsMissing = true, ignoresExtra = false)) ==
        Left(MatchProblem.Extra("s.z"))
    )
    assert(
      of(columns, file, lenient).map(_.mapping) == Right(Vector(mapped("s", 1)(mapped("a", 2)())))
    )
  }

  test("a missing column that takes no NULL is refused unless older files have a value for it") {
    val required = Columns.leaf(2, "b", LakeType.Int32).copy(nullsAllowed = false)
    val id = Columns.leaf(1, "a", LakeType.Int32)
    val file = Vector(whole("a", 0))

    assert(of(Vector(id, required), file, lenient) == Left(MatchProblem.MissingNotNull("b")))
    assert(of(Vector(id, required.copy(initialDefault = Some("7"))), file, lenient).isRight)
  }

  test("other types are refused with both types, at every depth") {
    val list = Vector(Columns.list(1, "l")(Columns.leaf(2, "element", LakeType.Int32)))
    val plain = Vector(Columns.leaf(1, "a", LakeType.Int32))

    assert(
      of(list, Vector(FileColumn.ListOf("l", leaf("element", 0, LakeType.Int64))), strict) ==
        Left(MatchProblem.OtherType("l.list", "int32", "int64"))
    )
    assert(
      of(list, Vector(whole("l", 0)), strict) ==
        Left(MatchProblem.OtherType("l", "list", "int32"))
    )
    assert(
      of(plain, Vector(FileColumn.StructOf("a", Vector(whole("x", 0)))), strict) ==
        Left(MatchProblem.OtherType("a", "int32", "struct"))
    )
  }

  test("a leaf of the NULL type fits every column of one leaf") {
    val columns = Vector(
      Columns.leaf(1, "a", LakeType.Int32),
      Columns.leaf(2, "b", LakeType.Varchar),
      Columns.list(3, "l")(Columns.leaf(4, "element", LakeType.Date)),
    )
    val nulls = LakeType.NullType
    val file = Vector(
      leaf("a", 0, nulls),
      leaf("b", 1, nulls),
      FileColumn.ListOf("l", leaf("element", 2, nulls)),
    )

    val found = of(columns, file, strict)

    assert(
      found.map(_.mapping) ==
        Right(Vector(mapped("a", 1)(), mapped("b", 2)(), mapped("l", 3)(mapped("list", 4)())))
    )
    assert(found.map(_.leaves.map(_.fileType).distinct) == Right(Vector(nulls)))
  }

  test("a nested column of the NULL type stays out of the mapping, when it is read as NULL then") {
    val list = Columns.list(1, "l")(Columns.leaf(2, "element", LakeType.Int32))
    val inside = Columns.list(3, "m")(list)
    val a = Columns.leaf(4, "a", LakeType.Int32)
    val file = Vector(leaf("l", 0, LakeType.NullType), whole("a", 1))
    val refused = Left(MatchProblem.OtherType("l", "list", "the NULL type"))

    assert(of(Vector(list, a), file, strict).map(_.mapping) == Right(Vector(mapped("a", 4)())))
    assert(of(Vector(list.copy(nullsAllowed = false), a), file, strict) == refused)
    assert(of(Vector(list.copy(initialDefault = Some("[]")), a), file, strict) == refused)
    val nested = Vector(FileColumn.ListOf("m", leaf("element", 0, LakeType.NullType)))
    assert(
      of(Vector(inside), nested, strict) ==
        Left(MatchProblem.OtherType("m.list", "list", "the NULL type"))
    )
  }

  test("two columns of a file that have the name of one column are refused") {
    val columns = Vector(Columns.leaf(1, "a", LakeType.Int32))

    val found = of(columns, Vector(whole("a", 0), whole("A", 1)), strict)

    assert(found == Left(MatchProblem.Ambiguous("a")))
  }

  test("a column of the path is mapped last, and the file's own column is not shown") {
    val p = Columns.leaf(1, "p", LakeType.Int32)
    val a = Columns.leaf(2, "a", LakeType.Int32)
    val file = Vector(whole("p", 0), whole("a", 1))

    val found = SchemaMatch.of(Vector(p, a), file, Vector("p" -> p), strict)

    assert(
      found == Right(
        SchemaMatch(
          Vector(
            mapped("a", 2)(),
            MappedColumn("p", ColumnId(1), isPartition = true, Vector.empty),
          ),
          Vector(MatchedLeaf(1, ColumnId(2), LakeType.Int32, LakeType.Int32)),
          Vector(MatchedLeaf(0, ColumnId(1), LakeType.Int32, LakeType.Int32)),
        )
      )
    )
  }
}
