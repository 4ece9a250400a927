package ducklake.files.copy.plan

import ducklake.catalog.types.LakeType
import org.apache.parquet.schema.MessageTypeParser
import org.apache.parquet.schema.PrimitiveType
import org.scalatest.funsuite.AnyFunSuite

class StoredTypeSpec extends AnyFunSuite {

  private def column(text: String): PrimitiveType =
    MessageTypeParser.parseMessageType(s"message m { optional $text; }").getType(0).asPrimitiveType

  private def common(lakeType: LakeType.Primitive, blank: String, stored: String*): Option[String] =
    StoredType
      .common(lakeType, column(s"$blank = 7"), stored.toVector.map(column))
      .map(found => found.toString.stripPrefix("optional "))

  test("equal types and narrower whole numbers become the type of new rows") {
    val int64 = "int64 a (INTEGER(64,true))"

    assert(common(LakeType.Int64, int64).contains(s"$int64 = 7"))
    assert(common(LakeType.Int64, int64, "int32 b", int64).contains(s"$int64 = 7"))
    assert(common(LakeType.Int64, int64, "int32 b (INTEGER(32,false))").contains(s"$int64 = 7"))
    assert(common(LakeType.Float64, "double a", "float b", "double b").contains("double a = 7"))
  }

  test("numbers that mean something else, or do not fit, are not copied") {
    val int32 = "int32 a (INTEGER(32,true))"
    val micros = "int64 a (TIMESTAMP(MICROS,false))"

    assert(common(LakeType.Int32, int32, "int32 b (INTEGER(32,false))").isEmpty)
    assert(common(LakeType.Int32, int32, "int64 b").isEmpty)
    assert(common(LakeType.Timestamp, micros, "int64 b (TIMESTAMP(MILLIS,false))").isEmpty)
    assert(common(LakeType.Timestamp, micros, "int96 b").isEmpty)
    assert(common(LakeType.Varchar, "binary a (STRING)", "binary b").isEmpty)
    assert(
      common(LakeType.Decimal(9, 2), "int32 a (DECIMAL(9,2))", "int32 b (DECIMAL(9,1))").isEmpty
    )
  }

  test("decimals get the length that all files have, else the longest") {
    val ours = "fixed_len_byte_array(9) a (DECIMAL(20,3))"
    val theirs = "fixed_len_byte_array(16) a (DECIMAL(20,3))"

    assert(common(LakeType.Decimal(20, 3), ours, theirs, theirs).contains(s"$theirs = 7"))
    assert(common(LakeType.Decimal(20, 3), ours, ours, theirs).contains(s"$theirs = 7"))
    assert(common(LakeType.Decimal(20, 3), ours, ours).contains(s"$ours = 7"))
  }

  test("times with an offset stay texts, as a flush writes them, when all files have texts") {
    val times = "int64 a (TIME(MICROS,true))"

    assert(common(LakeType.TimeTz, times, "binary b (STRING)").contains("binary a (STRING) = 7"))
    assert(common(LakeType.TimeTz, times, "binary b (STRING)", times).isEmpty)
    assert(common(LakeType.Time, times, "binary b (STRING)").isEmpty)
  }

  test("types that only DuckDB writes stay when all files have them") {
    val decimal = "fixed_len_byte_array(16) a (DECIMAL(38,0))"
    val interval = "fixed_len_byte_array(12) a (INTERVAL)"

    assert(common(LakeType.Int128, decimal, "double b").contains("double a = 7"))
    assert(common(LakeType.Int128, decimal, "double b", decimal).isEmpty)
    assert(common(LakeType.Interval, "binary a (STRING)", interval).contains(s"$interval = 7"))
    assert(common(LakeType.Interval, "binary a (STRING)", interval, "binary b (STRING)").isEmpty)
  }
}
