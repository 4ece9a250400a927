package ducklake.catalog

import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.model.SortSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class TablesSpec extends AnyFunSuite {

  private def lakeWith(columns: (Long, String, String)*): TestLake = {
    val lake = TestLake.create()
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", columns: _*)
    lake
  }

  private def tableAt(lake: TestLake, snapshot: Long): LakeTable =
    lake.open.at(SnapshotId(snapshot)).table("main", "t").getOrElse(fail("no table"))

  private def rows(lake: TestLake, snapshot: Long)(
      columns: LakeTable => Vector[Column]
  ): Vector[(Long, Vector[Literal])] = {
    val table = tableAt(lake, snapshot)
    val kept = new CollectedRows
    val inlined = InlinedRequest(columns(table), None, kept)
    lake.open
      .at(SnapshotId(snapshot))
      .files(table, FileRequest(Vector.empty, Set.empty, Some(inlined))): Unit
    kept.rows.map(row => row.rowId -> row.values).sortBy(_._1)
  }

  test("columns make a tree, in the order of column_order") {
    val lake = lakeWith(
      (1, "id", "int64"),
      (2, "l", "list"),
      (3, "element", "struct"),
      (4, "x", "DECIMAL(10, 2)"),
    )
    lake.run(
      "UPDATE ducklake_column SET parent_column = column_id - 1, nulls_allowed = 0 WHERE column_id > 2",
      "UPDATE ducklake_column SET column_order = 9, nulls_allowed = 0 WHERE column_id = 1",
    )

    val Seq(list, id) = tableAt(lake, 1).columns: @unchecked
    assert(id.name == "id" && id.dataType == LakeType.Int64 && !id.nullsAllowed)
    assert(list.dataType == LakeType.ListType && list.children.map(_.name) == Vector("element"))
    val leaf = list.children.head.children.head
    assert(leaf.dataType == LakeType.Decimal(10, 2) && leaf.nullsAllowed)
  }

  test("the text NULL is no default; expressions differ from literals") {
    val lake = lakeWith((1, "a", "varchar"), (2, "b", "varchar"), (3, "c", "varchar"))
    lake.run(
      "UPDATE ducklake_column SET default_value = 'NULL', default_value_type = 'literal' " +
        "WHERE column_id = 1",
      "UPDATE ducklake_column SET default_value = '5', initial_default = '4', " +
        "default_value_type = 'literal' WHERE column_id = 2",
      "UPDATE ducklake_column SET default_value = 'now()', default_value_type = 'expression', " +
        "default_value_dialect = 'duckdb' WHERE column_id = 3",
    )

    val Seq(a, b, c) = tableAt(lake, 1).columns: @unchecked
    assert(a.default.isEmpty)
    assert(b.default.contains(ColumnDefault.LiteralText("5")) && b.initialDefault.contains("4"))
    assert(c.default.contains(ColumnDefault.Expression("now()", Some("duckdb"))))
  }

  test("a table has its comment, tags, column comments, layout and sort order at the snapshot") {
    val lake = lakeWith((1, "id", "int64"), (2, "ts", "timestamp"))
    lake.run(
      "INSERT INTO ducklake_tag VALUES (1, 1, NULL, 'comment', 'all of it'), (1, 1, 1, 'k', 'old')",
      "INSERT INTO ducklake_column_tag VALUES (1, 2, 1, NULL, 'comment', 'when')",
      "INSERT INTO ducklake_partition_info VALUES (7, 1, 1, NULL)",
      "INSERT INTO ducklake_partition_column VALUES (7, 1, 1, 1, 'bucket(4)'), (7, 1, 0, 2, 'year')",
      "INSERT INTO ducklake_sort_info VALUES (8, 1, 1, NULL)",
      "INSERT INTO ducklake_sort_expression VALUES (8, 1, 0, 'id', 'duckdb', 'DESC', 'NULLS_FIRST')",
    )

    val table = tableAt(lake, 1)
    assert(table.comment.contains("all of it") && table.tags.keySet == Set("comment"))
    assert(table.columns.map(_.comment) == Vector(None, Some("when")))
    val keys = Vector(
      PartitionKey(0, ColumnId(2), Transform.Year),
      PartitionKey(1, ColumnId(1), Transform.Bucket(4)),
    )
    assert(table.partition.contains(PartitionSpec(PartitionId(7), keys)))
    val key = SortKey("id", "duckdb", SortDirection.Descending, NullOrder.First)
    assert(table.sort.contains(SortSpec(8, Vector(key))))
    assert(table.directory == "/data/main/t/")
  }

  test("a layout that was reset is none") {
    val lake = lakeWith((1, "id", "int64"))
    lake.run("INSERT INTO ducklake_partition_info VALUES (7, 1, 1, NULL)")

    assert(tableAt(lake, 1).partition.isEmpty)
  }

  test("of two visible rows of a column, as 0.2 leaves them, the younger counts") {
    val lake = lakeWith((1, "a", "int32"))
    lake.run(
      "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, " +
        "column_name, column_type, nulls_allowed) VALUES (1, 2, 1, 1, 'b', 'int64', 1)"
    )
    lake.snapshot(2, 2, 0, "altered_table:1")

    assert(
      tableAt(lake, 2).columns.map(column => (column.name, column.dataType)) ==
        Vector(("b", LakeType.Int64))
    )
  }

  test("views and macros come with their text") {
    val lake = lakeWith((1, "id", "int64"))
    lake.run(
      "INSERT INTO ducklake_view VALUES (3, '00000000-0000-0000-0000-000000000003', 1, NULL, 0, " +
        "'v', 'duckdb', 'SELECT 1 FROM {DUCKLAKE_CATALOG}.main.t', '\"x\"')",
      "INSERT INTO ducklake_macro VALUES (0, 4, 'plus', 1, NULL)",
      "INSERT INTO ducklake_macro_impl VALUES (4, 0, 'duckdb', 'a + b', 'scalar')",
      "INSERT INTO ducklake_macro_parameters VALUES (4, 0, 1, 'b', 'int32', '1', 'literal'), " +
        "(4, 0, 0, 'a', 'unknown', NULL, NULL)",
    )
    val at = lake.open.at(SnapshotId(1))

    val view = at.view("main", "V").getOrElse(fail("no view"))
    assert(view.sql == "SELECT 1 FROM {DUCKLAKE_CATALOG}.main.t" && view.aliases == "\"x\"")
    assert(at.views().size == 1 && lake.open.at(SnapshotId(0)).views().isEmpty)
    val plus = at.macros().head
    assert(plus.schema.name == "main" && plus.name == "plus" && plus.kind == "scalar")
    assert(
      plus.parameters.map(parameter => (parameter.name, parameter.typeText, parameter.default)) ==
        Vector(("a", None, None), ("b", Some("int32"), Some("1")))
    )
  }

  test("inlined rows of every schema version are read by column id") {
    val lake = lakeWith((1, "a", "int32"), (2, "b", "varchar"))
    lake.snapshot(2, 2, 0, "altered_table:1")
    lake.snapshot(3, 2, 0, "inlined_insert:1")
    lake.run(
      "UPDATE ducklake_column SET end_snapshot = 2",
      "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, " +
        "column_name, column_type, initial_default, nulls_allowed) VALUES " +
        "(1, 2, 1, 1, 'renamed', 'int64', NULL, 1), (3, 2, 1, 3, 'b', 'float64', '1.5', 1)",
      "INSERT INTO ducklake_schema_versions VALUES (1, 1, 1), (2, 2, 1)",
      "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1), " +
        "(1, 'ducklake_inlined_data_1_2', 2)",
      "CREATE TABLE ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, a BIGINT, b VARCHAR)",
      "CREATE TABLE ducklake_inlined_data_1_2(row_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, renamed BIGINT, b VARCHAR)",
      "INSERT INTO ducklake_inlined_data_1_1 VALUES (1, 1, NULL, 11, 'x'), (0, 1, 3, 10, 'y')",
      "INSERT INTO ducklake_inlined_data_1_2 VALUES (0, 3, NULL, 20, '2.5')",
    )

    assert(
      rows(lake, 1)(_.columns) == Vector(
        0L -> Vector(Literal.Integral(10), Literal.Text("y")),
        1L -> Vector(Literal.Integral(11), Literal.Text("x")),
      )
    )
    assert(
      rows(lake, 3)(_.columns.reverse) == Vector(
        0L -> Vector(Literal.Floating(2.5), Literal.Integral(20)),
        1L -> Vector(Literal.Floating(1.5), Literal.Integral(11)),
      )
    )
    assert(rows(lake, 3)(_ => Vector.empty).map(_._1) == Vector(0L, 1L))
    val table = tableAt(lake, 3)
    assert(lake.open.at(SnapshotId(3)).counts(table).liveRows == 2)
  }

  test("an inlined table made on demand has the columns of the table's last change before it") {
    val lake = lakeWith((1, "a", "int32"))
    lake.snapshot(2, 2, 0, "altered_table:1")
    lake.snapshot(3, 5, 0, "inlined_insert:1")
    lake.run(
      "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, " +
        "column_name, column_type, nulls_allowed) VALUES (2, 2, 1, 2, 'b', 'int32', 1)",
      "INSERT INTO ducklake_schema_versions VALUES (1, 1, 1), (2, 2, 1)",
      "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_5', 5)",
      "CREATE TABLE ducklake_inlined_data_1_5(row_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, a BIGINT, b BIGINT)",
      "INSERT INTO ducklake_inlined_data_1_5 VALUES (0, 3, NULL, 1, 2)",
    )

    assert(
      rows(lake, 3)(_.columns) == Vector(0L -> Vector(Literal.Integral(1), Literal.Integral(2)))
    )
  }
}
