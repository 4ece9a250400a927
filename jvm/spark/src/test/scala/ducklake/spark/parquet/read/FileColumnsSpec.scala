package ducklake.spark.parquet.read

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.NameMapping
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import ducklake.spark.testkit.WrittenRows
import org.apache.spark.sql.Row
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.VariantVal
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

class FileColumnsSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles

  override protected def afterAll(): Unit = files.close()

  private def struct(id: Long, name: String, children: Column*): Column =
    column(id, name, LakeType.StructType, children.toVector)

  private def list(id: Long, name: String, element: Column): Column =
    column(id, name, LakeType.ListType, Vector(element))

  private def map(id: Long, name: String, key: Column, value: Column): Column =
    column(id, name, LakeType.MapType, Vector(key, value))

  private def int(id: Long, name: String): Column = column(id, name, LakeType.Int32)

  private def text(id: Long, name: String): Column = column(id, name, LakeType.Varchar)

  private def read(query: String, ids: String, columns: Column*): Vector[Seq[Any]] = {
    val file = files.write("t.parquet", query, ids)
    TaskRows.of(TaskRows.spec(columns.map(data)*), TaskRows.part(file))
  }

  test("columns are found by field id, whatever their names") {
    val rows = read("SELECT 1 AS a, 'x' AS b", "{a: 1, b: 2}", text(2, "a"), int(1, "b"))

    assert(rows == Vector(Seq[Any]("x", 1)))
  }

  test("a column that is not in the file has its initial default") {
    val rows = read(
      "SELECT 1 AS a",
      "{a: 1}",
      int(2, "a"),
      column(3, "d", LakeType.Decimal(6, 2), initialDefault = Some("1.5")),
      column(4, "t", LakeType.Time, initialDefault = Some("12:00:00")),
    )

    assert(rows == Vector(Seq(null, new java.math.BigDecimal("1.50"), "12:00:00")))
  }

  test("values given for the file come before what it holds") {
    val file = files.write("t.parquet", "SELECT 1 AS a, 2 AS b", "{a: 1, b: 2}")
    val part = TaskRows.part(file).copy(constants = Map(ColumnId(1) -> Literal.Integral(7)))

    val rows = TaskRows.of(TaskRows.spec(data(int(1, "a")), data(int(2, "b"))), part)

    assert(rows == Vector(Seq(7, 2)))
  }

  test("no column at all still gives every row") {
    assert(read("FROM range(5000)", "{range: 1}").size == 5000)
    assert(read("FROM range(3)", "{range: 1}", int(9, "x")) == Vector.fill(3)(Seq(null)))
  }

  test("fields of structs are added, dropped, renamed and reordered") {
    val rows = read(
      "SELECT * FROM (VALUES ({x: 1, y: 'a', z: 2}), (NULL), ({x: NULL, y: 'b', z: 3})) v(s)",
      "{s: {__duckdb_field_id: 1, x: 2, y: 3, z: 4}}",
      struct(
        1,
        "s",
        text(3, "x"),
        column(9, "new", LakeType.Int32, initialDefault = Some("42")),
        int(2, "renamed"),
      ),
    )

    assert(rows == Vector(Seq(Row("a", 42, 1)), Seq(null), Seq(Row("b", 42, null))))
  }

  test("a struct without any of its fields in the file keeps its own NULLs") {
    val rows = read(
      "SELECT * FROM (VALUES ({l: [1], y: 'a'}), (NULL), ({l: NULL, y: NULL})) v(s)",
      "{s: {__duckdb_field_id: 1, l: {__duckdb_field_id: 2, element: 3}, y: 4}}",
      struct(1, "s", int(9, "new")),
    )

    assert(rows == Vector(Seq(Row(null)), Seq(null), Seq(Row(null))))
  }

  test("a struct with only a list in the file keeps its own NULLs") {
    val rows = read(
      "SELECT * FROM (VALUES ({l: [1, 2]}), (NULL), ({l: NULL}), ({l: []})) v(s)",
      "{s: {__duckdb_field_id: 1, l: {__duckdb_field_id: 2, element: 3}}}",
      struct(1, "s", int(9, "new")),
    )

    assert(rows == Vector(Seq(Row(null)), Seq(null), Seq(Row(null)), Seq(Row(null))))
  }

  test("a struct keeps its own NULLs whatever the type of its only field in the file is") {
    Vector("1::UBIGINT", "TIME '01:02:03'", "'2020-01-01'::TIMESTAMP_NS", "INTERVAL 1 DAY")
      .foreach { value =>
        val rows = read(
          s"SELECT * FROM (VALUES ({f: $value}), (NULL), ({f: NULL})) v(s)",
          "{s: {__duckdb_field_id: 1, f: 2}}",
          struct(1, "s", int(9, "new")),
        )
        assert(rows == Vector(Seq(Row(null)), Seq(null), Seq(Row(null))), value)
      }
  }

  test("a struct with only a variant in the file keeps its own NULLs") {
    val parsed = VariantBuilder.parseJson("{\"a\": [1]}", false)
    val variant = new VariantVal(parsed.getValue, parsed.getMetadata)
    def column(id: Long, name: String) = TaskRows.column(id, name, LakeType.Variant)
    val fields = Vector[(Column, Any)](
      column(2, "f") -> variant,
      list(2, "f", column(3, "element")) -> Seq(variant, null),
      map(2, "f", int(3, "key"), column(4, "value")) -> Map(1 -> variant),
      struct(2, "f", column(3, "v")) -> Row(variant),
    )
    fields.foreach { case (field, value) =>
      val written = new WrittenRows(Vector(struct(1, "s", field)))
      val file = written.write(Seq(Row(value)), Seq(null), Seq(Row(null))).head
      val spec = TaskRows.spec(data(struct(1, "s", int(9, "new"))))
      val rows = TaskRows.of(spec, TaskRows.part(written.path(file)))
      assert(rows == Vector(Seq(Row(null)), Seq(null), Seq(Row(null))), field.dataType)
    }
  }

  test("lists and maps of structs evolve with their structs") {
    val rows = read(
      """SELECT [{x: 1, y: 'a'}, NULL, {x: 2, y: NULL}] AS l,
        |  MAP {'k': {v: 1, w: 2}, 'n': NULL} AS m
        |UNION ALL SELECT [], MAP {} UNION ALL SELECT NULL, NULL""".stripMargin,
      """{l: {__duckdb_field_id: 1, element: {__duckdb_field_id: 2, x: 3, y: 4}},
        | m: {__duckdb_field_id: 5, key: 6, value: {__duckdb_field_id: 7, v: 8, w: 9}}}""".stripMargin,
      list(1, "l", struct(2, "element", text(4, "y"), int(20, "new"))),
      map(
        5,
        "m",
        text(6, "key"),
        struct(7, "value", column(9, "w", LakeType.Float64), int(8, "v"), int(21, "new")),
      ),
    )

    assert(
      rows == Vector(
        Seq(
          ArraySeq(Row("a", null), null, Row(null, null)),
          Map("k" -> Row(2.0, 1, null), "n" -> null),
        ),
        Seq(ArraySeq.empty[Row], Map.empty[String, Row]),
        Seq(null, null),
      )
    )
  }

  test("values inside lists, maps and structs are converted") {
    val uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    val rows = read(
      s"""SELECT ['$uuid'::UUID, NULL] AS l, MAP {4000000000::UINTEGER: '12:00:00'::TIME} AS m,
         |  {d: 1.5::DECIMAL(4, 2), n: [[1::TINYINT, NULL], NULL]} AS s""".stripMargin,
      """{l: {__duckdb_field_id: 1, element: 2}, m: {__duckdb_field_id: 3, key: 4, value: 5},
        | s: {__duckdb_field_id: 6, d: 7, n: {__duckdb_field_id: 8,
        |   element: {__duckdb_field_id: 9, element: 10}}}}""".stripMargin,
      list(1, "l", column(2, "element", LakeType.Uuid)),
      map(3, "m", column(4, "key", LakeType.UInt32), column(5, "value", LakeType.Time)),
      struct(
        6,
        "s",
        column(7, "d", LakeType.Float64),
        list(8, "n", list(9, "element", column(10, "element", LakeType.Decimal(12, 1)))),
      ),
    )

    val one = new java.math.BigDecimal("1.0")
    assert(
      rows == Vector(
        Seq[Any](
          ArraySeq(uuid, null),
          Map(4000000000L -> "12:00:00"),
          Row(1.5, ArraySeq(ArraySeq(one, null), null)),
        )
      )
    )
  }

  test("a file with a name mapping is read by its names, lists through the name list") {
    val mapping = NameMapping(
      MappingId(3),
      Vector(
        MappedColumn("Old", ColumnId(1), isPartition = false, Vector.empty),
        MappedColumn(
          "l",
          ColumnId(2),
          isPartition = false,
          Vector(
            MappedColumn(
              "list",
              ColumnId(3),
              isPartition = false,
              Vector(MappedColumn("deep", ColumnId(4), isPartition = false, Vector.empty)),
            )
          ),
        ),
      ),
    )
    val file = files.write("m.parquet", "SELECT 1 AS old, [{deep: 2, other: 3}] AS l, 4 AS gone")
    val spec = TaskRows
      .spec(
        data(list(2, "l", struct(3, "element", int(4, "renamed"), int(5, "other")))),
        data(int(1, "new")),
        data(int(6, "gone")),
      )
      .copy(mappings = Map(mapping.id -> mapping))

    val rows = TaskRows.of(spec, TaskRows.part(file).copy(mapping = Some(mapping.id)))

    assert(rows == Vector(Seq[Any](ArraySeq(Row(2, null)), 1, null)))
  }

  test("a file without ids and without a mapping is read by position") {
    val file = files.write("p.parquet", "SELECT 1 AS x, 'a' AS y, {f: 2} AS z")
    val spec = TaskRows
      .spec(data(text(5, "b")), data(int(1, "a")), data(struct(7, "c", int(8, "F"))))
      .copy(order = Vector(ColumnId(1), ColumnId(5), ColumnId(7)))

    assert(TaskRows.of(spec, TaskRows.part(file)) == Vector(Seq[Any]("a", 1, Row(2))))
  }

  test("names with dots, blanks and quotes are plain names") {
    val rows = read(
      "SELECT 1 AS \"a.b c\", {\"x.y\": 2} AS \"q\"\"r`s\"",
      "{\"a.b c\": 1, \"q\"\"r`s\": {__duckdb_field_id: 2, \"x.y\": 3}}",
      int(1, "a.b c"),
      struct(2, "q", int(3, "z")),
    )

    assert(rows == Vector(Seq[Any](1, Row(2))))
  }

  test("a column stored as something else is an error that names it") {
    val failure = intercept[LakeException](read("SELECT 1 AS a", "{a: 1}", text(1, "a")))

    assert(failure.error.condition == "DUCKLAKE_UNREADABLE_FILE")
    assert(failure.error.parameters("why").contains("`a` of type varchar"))
  }

  test("columns of a file whose rows are all deleted may be stored as anything") {
    val file = files.write("t.parquet", "SELECT 1 AS a FROM range(3)", "{a: 1}")
    val spec = TaskRows.spec(data(text(1, "a")))
    def rows(deleted: Long*) =
      TaskRows.of(spec, TaskRows.part(file).copy(inlinedDeletes = deleted.toArray))

    assert(rows(0, 1, 2) == Vector.empty)
    val failure = intercept[LakeException](rows(0, 2))
    assert(failure.error.condition == "DUCKLAKE_UNREADABLE_FILE")
  }
}
