package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SchemaId
import org.scalatest.funsuite.AnyFunSuite

class SchemaChangeSpec extends AnyFunSuite {

  private def definition(columns: Column*): TableDefinition =
    TableDefinition(SchemaId(0), "t", columns.toVector, Map.empty, Vector.empty, Vector.empty)

  private def ofNew(definition: TableDefinition): TableDraft =
    TableDraft.ofNew("main.t", definition, FormatVersion.V10)

  private val draft: TableDraft = TableDraft.ofNew(
    "main.t",
    definition(
      Columns.leaf(0, "id", "int32"),
      Columns.struct(0, "s")(Columns.leaf(0, "a", "int32"), Columns.leaf(0, "B", "varchar")),
      Columns.list(0, "l")(Columns.struct(0, "element")(Columns.leaf(0, "x", "int32"))),
      Columns.map(0, "m")(Columns.leaf(0, "key", "varchar"), Columns.leaf(0, "value", "int32")),
    ),
    FormatVersion.V10,
  )

  private def names(columns: Vector[Column]): Vector[String] = columns.map(_.name)

  private def found(draft: TableDraft, path: String*): Column =
    ColumnTree
      .find(draft.definition.columns, path.toVector)
      .getOrElse(fail(s"no ${path.mkString(".")}"))

  private def done(result: SchemaChange.Result): TableDraft =
    result.fold(error => fail(error.message), identity)

  private def why(result: SchemaChange.Result): String =
    result match {
      case Left(LakeError.InvalidChange(_, reason)) => reason
      case Left(LakeError.InvalidName(_, _, reason)) => reason
      case other => fail(s"not refused: $other")
    }

  test("new columns are numbered depth first from 1") {
    def ids(columns: Vector[Column]): Vector[Long] =
      columns.flatMap(column => column.id.value +: ids(column.children))

    assert(ids(draft.definition.columns) == Vector(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
    assert(draft.next == ColumnId(11))
  }

  test("a column goes first, last, or behind another, with ids never used before") {
    val column = Columns.struct(0, "n")(Columns.leaf(0, "p", "int8"))

    val first = done(SchemaChange.add(draft, Vector.empty, column, ColumnPlace.First))
    val after = done(SchemaChange.add(draft, Vector.empty, column, ColumnPlace.After("ID")))

    assert(names(first.definition.columns) == Vector("n", "id", "s", "l", "m"))
    assert(names(after.definition.columns) == Vector("id", "n", "s", "l", "m"))
    assert(found(first, "n").id == ColumnId(11) && found(first, "n", "p").id == ColumnId(12))
    assert(first.next == ColumnId(13))
  }

  test("a field goes into structs at any depth") {
    val field = Columns.leaf(0, "y", "int8")

    val changed = done(SchemaChange.add(draft, Vector("L", "element"), field, ColumnPlace.First))

    assert(names(found(changed, "l", "element").children) == Vector("y", "x"))
  }

  test("names that are taken or reserved are refused, whatever their case") {
    def add(parent: Vector[String], name: String) =
      SchemaChange.add(draft, parent, Columns.leaf(0, name, "int8"), ColumnPlace.Last)

    assert(why(add(Vector.empty, "ID")).contains("`id` already"))
    assert(why(add(Vector("s"), "b")).contains("`B` already"))
    assert(why(add(Vector.empty, "Row_Id")).contains("reserved"))
    assert(why(add(Vector.empty, "_ducklake_internal_snapshot_id")).contains("reserved"))
    assert(why(add(Vector.empty, "")).contains("must not be empty"))
    assert(why(add(Vector("id"), "z")).contains("no struct"))
    assert(why(add(Vector("l"), "z")).contains("no struct"))
    assert(add(Vector("s"), "row_id").isRight)
    assert(why(SchemaChange.rename(draft, Vector("id"), "S")).contains("`s` already"))
    assert(why(SchemaChange.rename(draft, Vector("id"), "End_Snapshot")).contains("reserved"))
    assert(SchemaChange.rename(draft, Vector("id"), "ID").isRight)
    val newer = draft.copy(version = FormatVersion.V11)
    assert(why(SchemaChange.rename(newer, Vector("id"), "_DuckLake_x")).contains("reserved"))
    assert(SchemaChange.rename(newer, Vector("id"), "End_Snapshot").isRight)
  }

  test("NOT NULL needs something for the rows that are there") {
    val bare = Columns.leaf(0, "n", "int8").copy(nullsAllowed = false)
    val filled = bare.copy(initialDefault = Some("1"))
    val full = draft.copy(rows = RowPresence.HasRows)

    assert(
      why(SchemaChange.add(full, Vector.empty, bare, ColumnPlace.Last))
        .contains("constant default")
    )
    assert(SchemaChange.add(full, Vector.empty, filled, ColumnPlace.Last).isRight)
    assert(SchemaChange.add(draft, Vector.empty, bare, ColumnPlace.Last).isRight)
  }

  test("contents of lists and maps stay and keep their names") {
    assert(why(SchemaChange.drop(draft, Vector("l", "element"))).contains("content of a list"))
    assert(why(SchemaChange.rename(draft, Vector("m", "key"), "k")).contains("content of a list"))
  }

  test("fields of a map's keys stay while there are rows") {
    val point =
      Columns.struct(0, "key")(Columns.leaf(0, "x", "int32"), Columns.leaf(0, "y", "int32"))
    val value =
      Columns.struct(0, "value")(Columns.leaf(0, "x", "int32"), Columns.leaf(0, "key", "int32"))
    val keyed = ofNew(definition(Columns.list(0, "l")(Columns.map(0, "element")(point, value))))
    val full = keyed.copy(rows = RowPresence.HasRows)
    val path = Vector("l", "element", "KEY", "y")

    assert(why(SchemaChange.drop(full, path)).contains("map's keys"))
    assert(SchemaChange.drop(keyed, path).isRight)
    assert(SchemaChange.drop(full, Vector("l", "element", "value", "key")).isRight)
  }

  test("the last column, and the last field of a struct, stay") {
    val withoutField = done(SchemaChange.drop(draft, Vector("l", "element", "x")))
    val lonely = ofNew(definition(Columns.leaf(0, "id", "int32")))
    val without = done(SchemaChange.drop(lonely, Vector("id")))

    assert(why(SchemaChange.finished(withoutField)).contains("struct of nothing"))
    assert(why(SchemaChange.finished(without)).contains("needs a column"))
    assert(SchemaChange.finished(draft) == Right(draft))
  }

  test("columns that files are laid out or sorted by stay; renaming them follows") {
    val partitioned = draft.copy(definition =
      draft.definition.copy(partition = Vector(PartitionKey(0, ColumnId(1), Transform.Identity)))
    )
    val by = SortChange.NamedKey(
      "id",
      SortDirection.Ascending,
      NullOrder.Last,
    )
    val sorted = done(SortChange.set(draft, Vector(by)))

    assert(why(SchemaChange.drop(partitioned, Vector("id"))).contains("partitioned by it"))
    assert(why(SchemaChange.drop(sorted, Vector("ID"))).contains("sorted by it"))
    val renamed = done(SchemaChange.rename(sorted, Vector("id"), "the id"))
    assert(renamed.definition.sort.map(_.expression) == Vector("\"the id\""))
  }

  test("a struct field that rows are sorted by stays, and is no column") {
    val table = ofNew(
      definition(
        Columns.struct(0, "s")(Columns.leaf(0, "a", "int32"), Columns.leaf(0, "b", "int32")),
        Columns.leaf(0, "a", "int32"),
      )
    )
    val by = SortKey("(s).a", "duckdb", SortDirection.Ascending, NullOrder.Last)
    val sorted = table.copy(definition = table.definition.copy(sort = Vector(by)))

    val renamed = done(SchemaChange.rename(sorted, Vector("a"), "c"))
    assert(renamed.definition.sort.map(_.expression) == Vector("(s).a"))
    assert(SchemaChange.drop(sorted, Vector("a")).isRight)
    assert(why(SchemaChange.rename(sorted, Vector("s", "a"), "c")).contains("sorted by it"))
    assert(why(SchemaChange.drop(sorted, Vector("s", "A"))).contains("sorted by it"))
    assert(SchemaChange.rename(sorted, Vector("s", "b"), "c").isRight)
  }

  test("a type changes only to one that holds every value") {
    def retype(from: String, to: String) = {
      val table = ofNew(definition(Columns.leaf(0, "c", from)))
      val Right(target: LakeType.Primitive) =
        Right(ducklake.catalog.types.TypeText.parse(to)): @unchecked
      SchemaChange.retype(table, Vector("c"), target)
    }

    val wider = Vector(
      "int8" -> "int16",
      "int32" -> "int64",
      "uint8" -> "uint32",
      "uint16" -> "int32",
      "float32" -> "float64",
      "int32" -> "float64",
      "int32" -> "decimal(12,2)",
      "decimal(5,2)" -> "decimal(10,4)",
      "date" -> "timestamp",
      "varchar" -> "varchar",
    )
    val lossy = Vector(
      "int64" -> "int32",
      "uint32" -> "int32",
      "int64" -> "float64",
      "int32" -> "decimal(5,0)",
      "decimal(5,2)" -> "decimal(6,4)",
      "int32" -> "varchar",
      "varchar" -> "int32",
      "timestamp" -> "timestamptz",
    )
    assert(wider.filter { case (from, to) => retype(from, to).isLeft } == Vector.empty)
    assert(lossy.filter { case (from, to) => retype(from, to).isRight } == Vector.empty)
    assert(why(SchemaChange.retype(draft, Vector("s"), LakeType.Int32)).contains("without loss"))
  }

  test("a column of a table without rows takes any type, as a new column in its place") {
    val key = PartitionKey(0, ColumnId(1), Transform.Bucket(4))
    val by = SortChange.NamedKey("id", SortDirection.Ascending, NullOrder.Last)
    val named = done(SchemaChange.setComment(draft, Vector("id"), Some("why")))
    val partitioned =
      named.copy(definition = named.definition.copy(partition = Vector(key)))
    val start = done(SortChange.set(partitioned, Vector(by)))
    def to(draft: TableDraft, kind: String, path: String*) =
      SchemaChange.replaceType(draft, path.toVector, Columns.leaf(0, "new", kind))

    val changed = done(to(start, "varchar", "ID"))
    val nested = done(to(done(to(draft, "date", "l", "element", "x")), "blob", "m", "value"))

    assert(found(changed, "id").dataType == LakeType.Varchar)
    assert(found(changed, "id").comment.contains("why"))
    assert(found(changed, "id").id == ColumnId(11) && changed.next == ColumnId(12))
    assert(changed.definition.partition == Vector(key.copy(column = ColumnId(11))))
    assert(changed.definition.sort.map(_.expression) == Vector("id"))
    assert(names(nested.definition.columns) == Vector("id", "s", "l", "m"))
    assert(found(nested, "l", "element", "x").dataType == LakeType.Date)
    assert(found(nested, "m", "value").dataType == LakeType.Blob)
    assert(why(to(start, "variant", "id")).contains("sorted by it"))
    assert(why(to(partitioned, "variant", "id")).contains("no such key"))
    assert(why(to(draft.copy(rows = RowPresence.HasRows), "date", "id")).contains("has rows"))
  }

  test("a column that rows are hashed by keeps its hash") {
    val hashed = draft.copy(definition =
      draft.definition.copy(partition = Vector(PartitionKey(0, ColumnId(1), Transform.Bucket(4))))
    )

    assert(SchemaChange.retype(hashed, Vector("id"), LakeType.Int64).isRight)
    assert(why(SchemaChange.retype(hashed, Vector("id"), LakeType.Float64)).contains("hash"))
  }

  test("defaults, comments, nullability and order change alone") {
    val default = Some(ColumnDefault.LiteralText("5"))

    val changed = for {
      one <- SchemaChange.setDefault(draft, Vector("id"), default)
      two <- SchemaChange.setComment(one, Vector("S", "a"), Some("why"))
      three <- SchemaChange.setNotNull(two, "id")
      four <- SchemaChange.move(three, Vector("m"), ColumnPlace.First)
      five <- SchemaChange.move(four, Vector("s", "B"), ColumnPlace.First)
    } yield five

    val after = done(changed)
    assert(found(after, "id").default == default && !found(after, "id").nullsAllowed)
    assert(found(after, "id").initialDefault.isEmpty)
    assert(found(after, "s", "a").comment.contains("why"))
    assert(names(after.definition.columns) == Vector("m", "id", "s", "l"))
    assert(names(found(after, "s").children) == Vector("B", "a"))
    assert(after.next == draft.next)
    assert(done(SchemaChange.dropNotNull(after, Vector("id"))).definition.columns(1).nullsAllowed)
    assert(why(SchemaChange.drop(draft, Vector("nope"))).contains("no such column"))
  }
}
