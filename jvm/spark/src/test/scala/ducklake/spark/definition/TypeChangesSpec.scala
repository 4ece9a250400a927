package ducklake.spark.definition

import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.error.LakeError
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.SchemaId
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.types.DataType
import org.scalatest.funsuite.AnyFunSuite

class TypeChangesSpec extends AnyFunSuite {

  private val rule = SparkTypes.TimeRule.AsTime
  private val types = new TypeChanges(rule)

  private val full: TableDraft = TableDraft
    .ofNew(
      "main.t",
      TableDefinition(
        SchemaId(0),
        "t",
        Vector(
          Columns.struct(0, "s")(Columns.leaf(0, "a", "uint8"), Columns.leaf(0, "B", "varchar")),
          Columns.list(0, "l")(Columns.struct(0, "element")(Columns.leaf(0, "x", "int32"))),
          Columns.map(0, "m")(Columns.leaf(0, "key", "int32"), Columns.leaf(0, "value", "int32")),
          Columns.leaf(0, "i", "int32"),
        ),
        Map.empty,
        Vector.empty,
        Vector.empty,
      ),
      FormatVersion.V10,
    )
    .copy(rows = RowPresence.HasRows)

  private val empty: TableDraft = full.copy(rows = RowPresence.Empty)

  private def changed(draft: TableDraft, column: String, wanted: String): SchemaChange.Result =
    types.to(draft, Vector(column), DataType.fromDDL(wanted))

  /** The type that Spark shows after the change. */
  private def shown(draft: TableDraft, column: String, wanted: String): String =
    changed(draft, column, wanted)
      .map(after => SchemaChange.column(after, Vector(column)).map(SparkTypes.of(_, rule)))
      .fold(error => fail(error.message), _.fold("")(_.sql))

  private def why(draft: TableDraft, column: String, wanted: String): String =
    changed(draft, column, wanted) match {
      case Left(LakeError.InvalidChange(_, reason)) => reason
      case other => fail(s"not refused: $other")
    }

  test("the parts of a nested type change one by one") {
    val struct = "STRUCT<n: DATE, a: BIGINT, c: STRUCT<d: INT>>"

    assert(shown(full, "s", struct) == "STRUCT<n: DATE, a: BIGINT, c: STRUCT<d: INT>>")
    assert(shown(full, "l", "ARRAY<STRUCT<x: BIGINT, y: STRING>>").contains("y: STRING"))
    assert(shown(full, "m", "MAP<BIGINT, INT>") == "MAP<BIGINT, INT>")
  }

  test("parts that stay keep their ids and their DuckLake types") {
    val after = changed(full, "S", "STRUCT<b: STRING, a: SMALLINT, c: INT>")

    val fields = after.toOption.flatMap(SchemaChange.column(_, Vector("s"))).toVector
    val before = full.definition.columns.head.children
    assert(fields.flatMap(_.children).map(_.name) == Vector("B", "a", "c"))
    assert(fields.flatMap(_.children).take(2) == before.reverse)
  }

  test("a column that Spark already reads as the type does not change") {
    assert(changed(full, "s", "STRUCT<a: SMALLINT, B: STRING>") == Right(full))
  }

  test("with rows a type becomes wider only, also within a nested type") {
    assert(why(full, "l", "ARRAY<STRUCT<x: STRING>>").contains("without loss"))
    assert(why(full, "i", "STRUCT<a: INT>").contains("no other type"))
    assert(why(full, "m", "ARRAY<INT>").contains("no other type"))
  }

  test("without rows any type takes the place of another") {
    assert(shown(empty, "l", "ARRAY<STRUCT<x: STRING>>") == "ARRAY<STRUCT<x: STRING>>")
    assert(shown(empty, "i", "STRUCT<a: INT>") == "STRUCT<a: INT>")
    assert(shown(empty, "m", "ARRAY<INT>") == "ARRAY<INT>")
    assert(shown(empty, "s", "STRING") == "STRING")
  }
}
