package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type
import org.apache.spark.unsafe.types.VariantVal
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.time.ZoneOffset

class VariantFilesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles

  override protected def afterAll(): Unit = files.close()

  /** Variants that DuckDB wrote, as JSON; `NULL` for no value. */
  private def read(query: String): Vector[String] = {
    val file = files.write("v.parquet", query, "{c: 1}")
    TaskRows
      .of(TaskRows.spec(TaskRows.data(column(1, "c", LakeType.Variant))), TaskRows.part(file))
      .map(_.head match {
        case value: VariantVal =>
          new Variant(value.getValue, value.getMetadata).toJson(ZoneOffset.UTC)
        case _ => "NULL"
      })
  }

  private def readValues(values: String*): Vector[String] =
    read(values.map(v => s"($v)::VARIANT").mkString("SELECT * FROM (VALUES (", "), (", ")) v(c)"))

  test("a variant's own null is NULL, one inside is not") {
    assert(
      readValues("1", "NULL", "'x'", "[NULL, 1]") == Vector("1", "NULL", "\"x\"", "[null,1]")
    )
  }

  test("columns of one type, objects and lists are put together from their parts") {
    assert(readValues("1", "2", "NULL") == Vector("1", "2", "NULL"))
    assert(
      readValues("{'a': 1, 'b': [1.5, NULL]}", "{'a': 2, 'z': {'y': 'deep'}}", "{'a': 'text'}") ==
        Vector(
          "{\"a\":1,\"b\":[1.5,null]}",
          "{\"a\":2,\"z\":{\"y\":\"deep\"}}",
          "{\"a\":\"text\"}",
        )
    )
  }

  test("times are text and nanoseconds microseconds, in parts and in binaries") {
    val time = "TIME '01:02:03.5'"
    val nanos = "'1969-12-31 23:59:59.999999999'::TIMESTAMP_NS"
    assert(readValues(time, time) == Vector.fill(2)("\"01:02:03.5\""))
    assert(readValues(nanos) == Vector("\"1969-12-31 23:59:59.999999\""))
    assert(
      readValues(
        time,
        nanos,
        s"{'a': $time, 'b': [$nanos::VARIANT, 1::VARIANT]}",
        "1",
        "2",
        "3",
        "4",
      ) ==
        Vector(
          "\"01:02:03.5\"",
          "\"1969-12-31 23:59:59.999999\"",
          "{\"a\":\"01:02:03.5\",\"b\":[\"1969-12-31 23:59:59.999999\",1]}",
          "1",
          "2",
          "3",
          "4",
        )
    )
  }

  test("timestamps of a column that became a variant are instants when the column had a zone") {
    def kinds(value: String) = {
      val file = files.write("t.parquet", s"SELECT $value AS c", "{c: 1}")
      TaskRows
        .of(TaskRows.spec(TaskRows.data(column(1, "c", LakeType.Variant))), TaskRows.part(file))
        .collect { case Vector(cell: VariantVal) =>
          val variant = new Variant(cell.getValue, cell.getMetadata)
          (variant.getType, variant.getLong)
        }
    }
    val ten = 1704103200000000L

    assert(kinds("'2024-01-01 12:00:00+02'::TIMESTAMPTZ") == Vector(Type.TIMESTAMP -> ten))
    val local = Vector(Type.TIMESTAMP_NTZ -> ten)
    Vector("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS").foreach { lakeType =>
      assert(kinds(s"'2024-01-01 10:00:00'::$lakeType") == local, lakeType)
    }
    assert(kinds("'infinity'::TIMESTAMP_MS").map(_._2) == Vector(Long.MaxValue))
  }

  test("values without children keep their kind") {
    val uuid = "550e8400-e29b-41d4-a716-446655440000"
    assert(readValues(s"'$uuid'::UUID", s"'$uuid'::UUID") == Vector.fill(2)(s"\"$uuid\""))
    assert(readValues("DATE '2020-01-02'", "DATE '2020-01-02'") == Vector.fill(2)("\"2020-01-02\""))
    assert(
      readValues("TIMESTAMPTZ '2020-01-02 00:00:00+00'") == Vector("\"2020-01-02 00:00:00+00:00\"")
    )
    assert(readValues("true", "1.50::DECIMAL(30,2)") == Vector("true", "1.5"))
  }
}
