package ducklake.spark.definition

import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.partition.Transform
import ducklake.catalog.sql.FormatVersion
import org.apache.spark.sql.connector.expressions.Expressions
import org.scalatest.funsuite.AnyFunSuite

class LayoutTextSpec extends AnyFunSuite {

  private def keys(
      text: String,
      version: FormatVersion = FormatVersion.V10,
  ): Vector[(String, Transform)] =
    new KeyText(version).parse(text).map(key => key.column -> key.transform)

  private def hint(text: String, version: FormatVersion): String =
    intercept[LakeException](keys(text, version)).error.message

  test("keys are columns, or functions of columns") {
    assert(keys(" c ") == Vector("c" -> Transform.Identity))
    assert(keys("YEAR(ts)") == Vector("ts" -> Transform.Year))
    assert(keys("bucket( 4 , \"a, \"\"b\")") == Vector("a, \"b" -> Transform.Bucket(4)))
    assert(keys("`a``b`") == Vector("a`b" -> Transform.Identity))
  }

  test("Spark's plurals stand for several keys in lakes of version 1.0, from the year down") {
    assert(keys("years(t)") == Vector("t" -> Transform.Year))
    assert(keys("months(t)").map(_._2) == Vector(Transform.Year, Transform.Month))
    assert(keys("days(t)").map(_._2) == Vector(Transform.Year, Transform.Month, Transform.Day))
    assert(keys("hours(t)").map(_._2).last == Transform.Hour)
  }

  test("Spark's plurals count from 1970 in lakes of version 1.1, and singulars do not") {
    Transform.units.zip(Vector("year", "month", "day", "hour")).foreach { case (unit, name) =>
      assert(keys(s"${name}s(t)", FormatVersion.V11) == Vector("t" -> Transform.Epoch(unit)))
      assert(keys(s"epoch_$name(t)", FormatVersion.V11) == Vector("t" -> Transform.Epoch(unit)))
      assert(keys(s"$name(t)", FormatVersion.V11) == Vector("t" -> unit))
    }
  }

  test("keys that count from 1970 are refused by name in lakes of version 1.0") {
    Vector("epoch_year(t)", "EPOCH_MONTH(t)", "epoch_day(t)", "epoch_hour(t)").foreach { text =>
      assert(hint(text, FormatVersion.V10).contains(s"The key $text"))
      assert(hint(text, FormatVersion.V10).contains("Lakes of version 1.0 have no such key"))
    }
    Vector("epoch_days(t)", "epoch_week(t)", "epoch_day(3, t)").foreach { text =>
      assert(hint(text, FormatVersion.V11).contains("epoch_year, epoch_month, epoch_day"), text)
    }
  }

  test("what DuckLake does not have is refused") {
    Vector("truncate(3, a)", "bucket(0, a)", "bucket(a)", "year(3, a)", "a + 1", "s.a", "")
      .foreach { text =>
        val error = intercept[LakeException](keys(text)).error
        assert(error.condition == "DUCKLAKE_UNSUPPORTED", text)
      }
  }

  test("sort orders are columns with a direction and a place for NULLs") {
    assert(
      SortOrderText.parse("a, \"b, c\" desc, `d` ASC NULLS FIRST") == Vector(
        SortChange.NamedKey("a", SortDirection.Ascending, NullOrder.Last),
        SortChange.NamedKey("b, c", SortDirection.Descending, NullOrder.Last),
        SortChange.NamedKey("d", SortDirection.Ascending, NullOrder.First),
      )
    )
    assert(
      intercept[LakeException](SortOrderText.parseKey("lower(a)")).error.message
        .contains("lower(a)")
    )
  }

  test("transforms of a statement are its keys, and CLUSTER BY its sort order") {
    val layout = RequestedLayout.of(
      Seq(
        Expressions.identity("a"),
        Expressions.months("ts"),
        Expressions.bucket(8, "id"),
        Expressions.apply("cluster_by", Expressions.column("x"), Expressions.column("y")),
      ),
      FormatVersion.V10,
    )

    assert(
      layout.partition == Vector(
        PartitionSpecChange.NamedKey("a", Transform.Identity),
        PartitionSpecChange.NamedKey("ts", Transform.Year),
        PartitionSpecChange.NamedKey("ts", Transform.Month),
        PartitionSpecChange.NamedKey("id", Transform.Bucket(8)),
      )
    )
    assert(layout.sort.map(_.column) == Vector("x", "y"))
  }

  test("keys of parts of columns are refused") {
    val error = intercept[LakeException](
      RequestedLayout.of(Seq(Expressions.identity("s.a")), FormatVersion.V11)
    ).error

    assert(error.condition == "DUCKLAKE_UNSUPPORTED" && error.message.contains("s.a"))
  }

  test("properties are sorted by what they mean") {
    val properties = RequestedProperties.of(
      Map(
        "Target_File_Size" -> "10MB",
        "ducklake.type.u" -> "uuid",
        "ducklake.sorted-by" -> "a DESC",
        "comment" -> "c",
        "own" -> "x",
        "option.own" -> "x",
        "owner" -> "me",
        "provider" -> "parquet",
      )
    )

    assert(properties.options == Map("Target_File_Size" -> "10MB"))
    assert(properties.chosenTypes == Map("u" -> "uuid"))
    assert(properties.sort.map(_.map(_.column)).contains(Vector("a")))
    assert(properties.tags == Map("comment" -> "c", "own" -> "x"))
  }
}
