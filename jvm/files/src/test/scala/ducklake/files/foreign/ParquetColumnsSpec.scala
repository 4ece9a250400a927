package ducklake.files.foreign

import ducklake.catalog.registration.FileColumn
import ducklake.catalog.types.LakeType
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

/** The expected types are those that DuckDB 1.5.5 gave the same annotations. */
final class ParquetColumnsSpec extends AnyFunSuite {

  private def columns(fields: String, geometries: String*): Vector[FileColumn] = {
    val schema = MessageTypeParser.parseMessageType(s"message m { $fields }")
    new ParquetColumns(schema, geometries.toSet).columns
  }

  private def leaf(name: String, ordinal: Int, lakeType: LakeType.Primitive): FileColumn =
    FileColumn.Leaf(name, ordinal, Some(lakeType))

  test("a leaf has the type of its annotation") {
    val expected = Vector(
      "int32 c" -> Some(LakeType.Int32),
      "int32 c (INTEGER(8,true))" -> Some(LakeType.Int8),
      "int64 c (INTEGER(64,false))" -> Some(LakeType.UInt64),
      "int32 c (DECIMAL(5,2))" -> Some(LakeType.Decimal(5, 2)),
      "int96 c" -> Some(LakeType.Timestamp),
      "int64 c (TIMESTAMP(MILLIS,false))" -> Some(LakeType.TimestampMs),
      "int64 c (TIMESTAMP(NANOS,false))" -> Some(LakeType.TimestampNs),
      "int64 c (TIMESTAMP(MICROS,true))" -> Some(LakeType.TimestampTz),
      "int64 c (TIMESTAMP(NANOS,true))" -> Some(LakeType.TimestampTzNs),
      "int64 c (TIME(MICROS,true))" -> Some(LakeType.TimeTz),
      "int64 c (TIME(NANOS,false))" -> None,
      "binary c" -> Some(LakeType.Blob),
      "binary c (STRING)" -> Some(LakeType.Varchar),
      "binary c (ENUM)" -> Some(LakeType.Varchar),
      "binary c (JSON)" -> Some(LakeType.Json),
      "fixed_len_byte_array(16) c (UUID)" -> Some(LakeType.Uuid),
    )

    expected.foreach { case (field, lakeType) =>
      assert(columns(s"optional $field;") == Vector(FileColumn.Leaf("c", 0, lakeType)), field)
    }
  }

  test("bytes that hold geometries are no blob") {
    val found = columns("optional binary g; optional group s { optional binary g; }", "g")

    val inside = FileColumn.Leaf("g", 1, Some(LakeType.Blob))
    assert(found == Vector(FileColumn.Leaf("g", 0, None), FileColumn.StructOf("s", Vector(inside))))
  }

  test("lists, maps and structs are recognised, and leaves are counted depth first") {
    val found = columns(
      """optional group s { optional int32 a; optional binary b (STRING); }
        |optional group l (LIST) { repeated group bag { optional int32 item; } }
        |optional group m (MAP) {
        |  repeated group key_value { required binary key (STRING); optional int64 value; }
        |}
        |optional int32 z;""".stripMargin
    )

    val key = FileColumn.Leaf("key", 3, Some(LakeType.Varchar), isRequired = true)
    assert(
      found == Vector(
        FileColumn.StructOf(
          "s",
          Vector(leaf("a", 0, LakeType.Int32), leaf("b", 1, LakeType.Varchar)),
        ),
        FileColumn.ListOf("l", leaf("item", 2, LakeType.Int32), group = "bag"),
        FileColumn.MapOf("m", key, leaf("value", 4, LakeType.Int64)),
        leaf("z", 5, LakeType.Int32),
      )
    )
  }

  test("columns that take no NULL are recognised at every level") {
    val found = columns(
      """required int32 a;
        |required group s { optional int32 b; }
        |required group l (LIST) { repeated group list { optional int32 element; } }
        |required group m (MAP) {
        |  repeated group key_value { required int32 KEY; optional int32 Value; }
        |}
        |optional group o { required int32 c; }""".stripMargin
    )

    assert(found.map(_.isRequired) == Vector(true, true, true, true, false))
  }

  test("a map whose entries are not called key and value has no type") {
    val field = "optional group m (MAP) { repeated group entries { required int32 keys; " +
      "optional int32 values; } }"

    assert(columns(field) == Vector(FileColumn.Leaf("m", -1, None)))
  }

  test("old spellings of lists have no type") {
    val fields = Vector(
      "repeated int32 l;",
      "optional group l (LIST) { repeated int32 array; }",
      "optional group l (LIST) { repeated group array { optional int32 x; } }",
    )

    fields.foreach { field =>
      assert(columns(field) == Vector(FileColumn.Leaf("l", -1, None)), field)
    }
  }
}
