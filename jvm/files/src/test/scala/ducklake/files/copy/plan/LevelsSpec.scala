package ducklake.files.copy.plan

import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

class LevelsSpec extends AnyFunSuite {

  private def of(schema: String, path: String*): Levels =
    Levels.of(MessageTypeParser.parseMessageType(s"message m { $schema }"), path.toVector)

  private val optional = of(
    "optional group a (LIST) { repeated group list { optional int32 element; } }",
    "a",
    "list",
    "element",
  )
  private val required = of(
    "required group a (LIST) { repeated group list { required int32 item; } }",
    "a",
    "list",
    "item",
  )

  test("the levels of required columns are those of the same values in optional ones") {
    assert(required.definitionsIn(optional).map(_.toSeq) == Some(Seq(1, 3)))
    assert(optional.definitionsIn(optional).map(_.toSeq) == Some(Seq(0, 1, 2, 3)))
  }

  test("a required field between optional ones is defined with the group above it") {
    val own = of(
      "optional group a { required group b { optional int32 c; } }",
      "a",
      "b",
      "c",
    )
    val other = of(
      "optional group a { optional group b { optional int32 c; } }",
      "a",
      "b",
      "c",
    )

    assert(own.definitionsIn(other).map(_.toSeq) == Some(Seq(0, 2, 3)))
  }

  test("a NULL has no place in a required column, and lists of two levels are other lists") {
    val twoLevels = of("optional group a (LIST) { repeated int32 array; }", "a", "array")

    assert(optional.definitionsIn(required).isEmpty)
    assert(twoLevels.definitionsIn(optional).isEmpty)
  }
}
