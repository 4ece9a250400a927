package ducklake.files.foreign

import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

final class FieldNamesSpec extends AnyFunSuite {

  private val names = new FieldNames(Map(1 -> "a", 2 -> "s", 3 -> "x", 4 -> "l"))

  private def misnamed(fields: String): Option[String] =
    names.misnamed(MessageTypeParser.parseMessageType(s"message m { $fields }"))

  test("fields with the names of their ids are found by either") {
    assert(misnamed("optional int32 a = 1; optional group s = 2 { optional int32 x = 3; }").isEmpty)
    assert(misnamed("optional int32 gone = 9;").isEmpty)
  }

  test("a field without an id, or with the name of another one, is found") {
    assert(misnamed("optional int32 a;").contains("a"))
    assert(misnamed("optional int32 b = 1;").contains("b"))
    assert(misnamed("optional group s = 2 { optional int32 y = 3; }").contains("s.y"))
  }

  test("a dropped field with the name of a column is found") {
    assert(misnamed("optional int32 a = 9;").contains("a"))
  }

  test("elements need no ids, and the fields of their structs do") {
    def list(field: String): String =
      s"optional group l (LIST) = 4 { repeated group list { optional group element { $field } } }"

    assert(misnamed(list("optional int32 x = 3;")).isEmpty)
    assert(misnamed(list("optional int32 x;")).contains("l.element.x"))
  }
}
