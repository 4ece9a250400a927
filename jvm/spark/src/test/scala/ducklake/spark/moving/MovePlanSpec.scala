package ducklake.spark.moving

import ducklake.catalog.partition.Transform
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import org.scalatest.funsuite.AnyFunSuite

/** What becomes of the partition keys of another format. */
class MovePlanSpec extends AnyFunSuite {

  private val day = column(1, "d", LakeType.Date)
  private val money = column(2, "money", LakeType.Decimal(9, 2))

  private def column(id: Long, name: String, lakeType: LakeType): Column =
    Column(ColumnId(id), name, lakeType, nullsAllowed = true, None, None, None, Vector.empty)

  private def file(partition: Option[Vector[Option[String]]]): SourceFile =
    SourceFile("/a.parquet", 10, Some(1), partition, Vector.empty)

  private def key(text: String, on: Column, transform: Transform): SourceKey =
    SourceKey(text, Some(on.id), SourceTransform.Same(transform))

  private def source(keys: Vector[SourceKey], files: SourceFile*): SourceTable =
    SourceTable(
      "t",
      Vector(day, money),
      NamesInFiles.FieldIds(Map.empty),
      ColumnId(2),
      keys,
      files.toVector,
      Vector.empty,
      Vector.empty,
    )

  test("in a lake of 1.0 an ordinal becomes the parts of its calendar") {
    val days = key("day(d)", day, Transform.Epoch(Transform.Day))
    // 1969-12-31, and no day.
    val (before, none) = (file(Some(Vector(Some("-1")))), file(Some(Vector(None))))

    val plan = MovePlan.of(source(Vector(days), before, none), FormatVersion.V10)

    assert(plan.keys.map(_.transform) == Transform.units.take(3))
    assert(plan.partition(before).contains(Vector(Some("1969"), Some("12"), Some("31"))))
    assert(plan.partition(none).contains(Vector(None, None, None)))
  }

  test("two units of one column share the parts of the calendar") {
    val keys = Vector(
      key("year(d)", day, Transform.Epoch(Transform.Year)),
      key("month(d)", day, Transform.Epoch(Transform.Month)),
    )
    val one = file(Some(Vector(Some("50"), Some("601"))))

    val plan = MovePlan.of(source(keys, one), FormatVersion.V10)

    assert(plan.keys.map(_.transform) == Vector(Transform.Year, Transform.Month))
    assert(plan.partition(one).contains(Vector(Some("2020"), Some("2"))))
  }

  test("in a lake of 1.1 an ordinal stays") {
    val months = key("month(d)", day, Transform.Epoch(Transform.Month))
    val one = file(Some(Vector(Some("-1"))))

    val plan = MovePlan.of(source(Vector(months), one), FormatVersion.V11)

    assert(plan.keys.map(_.transform) == Vector(Transform.Epoch(Transform.Month)))
    assert(plan.partition(one).contains(Vector(Some("-1"))))
  }

  test("keys that a lake has not are left behind with a reason") {
    val keys = Vector(
      SourceKey("truncate[2](d)", Some(day.id), SourceTransform.Other),
      key("bucket[4](money)", money, Transform.Bucket(4)),
      SourceKey("identity(s.a)", None, SourceTransform.Same(Transform.Identity)),
      key("bucket[8](d)", day, Transform.Bucket(8)),
      key("identity(d)", day, Transform.Identity),
    )
    val old = file(None)

    val plan = MovePlan.of(source(keys, old), FormatVersion.V10)

    assert(plan.keys.map(_.transform) == Vector(Transform.Identity))
    assert(
      plan.left == Vector(
        "truncate[2](d): lakes have no such key",
        "bucket[4](money): lakes hash values of this type in another way",
        "identity(s.a): its column is a part of a column",
        "bucket[8](d): 1 files are older than the key",
      )
    )
    assert(plan.partition(old).isEmpty)
  }
}
