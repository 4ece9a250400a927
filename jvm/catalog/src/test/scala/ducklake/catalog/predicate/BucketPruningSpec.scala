package ducklake.catalog.predicate

import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Comparison.*
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

class BucketPruningSpec extends AnyFunSuite {
  private val column = ColumnId(1)

  /** Keys on the one column, each with its value. */
  private def mayMatch(
      p: Predicate,
      lakeType: LakeType,
      keys: (Transform, Option[String])*
  ): Boolean = {
    val spec = PartitionSpec(
      PartitionId(7),
      keys.toVector.zipWithIndex.map { case ((transform, _), i) =>
        PartitionKey(i, column, transform)
      },
    )
    val values = keys.zipWithIndex.map { case ((_, value), i) => i -> value }.toMap
    BucketPruning.mayMatch(p, spec, FilePartition(PartitionId(7), values), _ => Some(lakeType))
  }

  private def text(value: String): Literal = Literal.Text(value)

  private def at(operator: Comparison, value: String, lakeType: LakeType.Primitive): Predicate =
    Compare(column, operator, ValueText.parseCast(value, lakeType).getOrElse(fail(value)))

  test("values of another spec, or absent ones, say nothing") {
    val spec = PartitionSpec(PartitionId(7), Vector(PartitionKey(0, column, Transform.Bucket(16))))
    val p = at(Equal, "34", LakeType.Int64)
    def answer(values: FilePartition, lakeType: Option[LakeType] = Some(LakeType.Int64)) =
      BucketPruning.mayMatch(p, spec, values, _ => lakeType)

    assert(answer(FilePartition(PartitionId(6), Map(0 -> Some("4")))))
    assert(answer(FilePartition(PartitionId(7), Map.empty)))
    assert(!answer(FilePartition(PartitionId(7), Map(0 -> Some("4")))))
    assert(answer(FilePartition(PartitionId(7), Map(0 -> Some("4"))), None))
  }

  test("values of other transforms are not used, because the bounds of files prune by them") {
    val p = at(Equal, "2020-01-01", LakeType.Date)
    val year = Transform.Year -> Some("54")
    val epoch = Transform.Epoch(Transform.Year) -> Some("54")
    val day = Transform.Identity -> Some("1999-01-01")

    assert(Vector(year, epoch, day).forall(mayMatch(p, LakeType.Date, _)))
  }

  test("buckets serve equality only, under every type the column may have had") {
    val third = Transform.Bucket(16) -> Some("3")
    val thirtyFour = at(Equal, "34", LakeType.Int64)

    assert(mayMatch(thirtyFour, LakeType.Int64, third))
    assert(mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> Some("9")))
    assert(!mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> Some("4")))
    assert(mayMatch(at(Less, "0", LakeType.Int64), LakeType.Int64, third))
    assert(mayMatch(Not(thirtyFour), LakeType.Int64, third))
    assert(!mayMatch(IsNull(column), LakeType.Int64, third))
    assert(!mayMatch(thirtyFour, LakeType.Int64, Transform.Bucket(16) -> None))
    assert(!mayMatch(In(column, Vector(text("iceberg"))), LakeType.Varchar, third))
  }
}
