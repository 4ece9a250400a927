package ducklake.catalog.option

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import org.scalatest.funsuite.AnyFunSuite

class SkippedStatisticsSpec extends AnyFunSuite {

  private val table = TableDefinition(
    SchemaId(0),
    "t",
    Vector(
      Columns.leaf(1, "a", LakeType.Int32),
      Columns.leaf(2, "B b", LakeType.Varchar),
      Columns.leaf(3, "c,\"d", LakeType.Varchar),
      Columns.leaf(4, "key", LakeType.Int32),
      Columns.leaf(5, "v", LakeType.Variant),
      Columns.struct(6, "s")(Columns.leaf(7, "g", "geometry")),
    ),
    Map.empty,
    Vector(PartitionKey(0, ColumnId(4), Transform.Identity)),
    Vector.empty,
  )

  private def stored(text: String): Either[String, String] =
    OptionRules
      .ofTable("Skip_Stats_Columns", text, table)
      .left
      .map(_.toString)
      .map(setting => setting.value)

  test("names become the ids of columns, once each and in any case") {
    val accepted = Vector(
      "a" -> "1",
      "A, b B,a" -> "1,2",
      "\"c,\"\"d\", `a`" -> "3,1",
      " " -> "",
    )

    accepted.foreach { case (text, ids) => assert(stored(text) == Right(ids), text) }
  }

  test("other names, partition keys, variants and geometries are refused") {
    val refused = Vector(
      "x" -> "there is no column `x`",
      "a,,b" -> "no list of column names",
      "s.g" -> "there is no column `s.g`",
      "a b`" -> "no list of column names",
      "key" -> "`key` is a partition key",
      "v" -> "`v` is or contains",
      "S" -> "`s` is or contains",
    )

    refused.foreach { case (text, why) =>
      assert(
        stored(text).left.exists(found => Names.folded(found).contains(Names.folded(why))),
        text,
      )
    }
  }
}
