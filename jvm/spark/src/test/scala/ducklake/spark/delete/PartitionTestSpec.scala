package ducklake.spark.delete

import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Rows of files that the catalog cannot judge. */
final class PartitionTestSpec extends AnyFunSuite {

  private def passing(lakeType: LakeType, wanted: Option[String]*)(rows: Any*): Seq[Any] = {
    val key = WriteKey(0, column(1, "p", lakeType), Transform.Identity, "p")
    val partitions = wanted.map(Vector(_)).toSet
    val test = PartitionTest(Vector(key), SparkTypes.TimeRule.AsString, partitions).open()
    rows.filter(value => test(InternalRow(value)))
  }

  test("zero is one value with either sign, in any order of the rows") {
    Seq("0.0", "-0.0").foreach { zero =>
      val found = passing(LakeType.Float64, Some(zero))(-0.0, 1.5, 0.0, Double.NaN, -0.0, null)

      assert(found.map(_.toString) == Seq("-0.0", "0.0", "-0.0"), zero)
    }
    assert(passing(LakeType.Float32, Some("0.0"))(1.5f, -0.0f).map(_.toString) == Seq("-0.0"))
  }

  test("NaN is a value, and NULL another") {
    val found = passing(LakeType.Float64, Some("nan"))(null, Double.NaN, 0.0, Double.NaN)

    assert(found.map(_.toString) == Seq("NaN", "NaN"))
    assert(passing(LakeType.Float64, None)(null, Double.NaN, 0.0) == Seq(null))
  }

  test("the text of a zero is a text like any other") {
    val texts = Seq("0.0", "-0.0").map(UTF8String.fromString)

    assert(passing(LakeType.Varchar, Some("0.0"))(texts*) == texts.take(1))
  }
}
