package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.files.parquet.FileNode
import ducklake.spark.errors.ValueSubject
import ducklake.spark.sparkapi.sql.VariantStep
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

class VariantShapeSpec extends AnyFunSuite {

  private val shape = FileNode
    .ofSchema(MessageTypeParser.parseMessageType("""message file {
      optional group v {
        required binary metadata;
        optional binary value;
        optional group typed_value {
          optional group a { optional binary value; optional int64 typed_value; }
          optional group b { optional binary value; optional binary typed_value (STRING); }
          optional group c {
            optional binary value;
            optional group typed_value {
              optional group x { optional int32 typed_value; }
              optional group y { optional binary value; optional double typed_value; }
            }
          }
        }
      }
    }"""))
    .collectFirst { case group: FileNode.Group => group }
    .flatMap(VariantShape.of(_, ValueSubject("v", LakeType.Variant)))
    .map(_.shape)

  private def read(paths: String*): String = {
    val steps = paths.toVector.map(path => VariantStep.parse(path).toVector.flatten)
    shape.fold("no variant")(_.holding(steps).requested.catalogString)
  }

  test("only the columns of the path and the binaries on the way are read") {
    assert(
      read("$.a") == "struct<value:binary,typed_value:struct<a:struct<value:binary," +
        "typed_value:bigint>>>"
    )
    assert(
      read("$.c.x", "$.a") == "struct<value:binary,typed_value:struct<a:struct<value:binary," +
        "typed_value:bigint>,c:struct<value:binary,typed_value:struct<x:struct<typed_value:int>>>>>"
    )
  }

  test("a path without columns reads the binaries") {
    assert(read("$.z") == "struct<value:binary>")
    assert(read("$[0]") == "struct<value:binary>")
    assert(
      read("$.c.x.deeper") == "struct<value:binary,typed_value:struct<c:struct<value:binary>>>"
    )
  }

  test("the whole variant needs all columns") {
    assert(read("$", "$.a") == shape.fold("")(_.requested.catalogString))
    assert(read("$.c", "$.c.y").contains("x:struct<typed_value:int>"))
  }
}
