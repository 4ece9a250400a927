package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

/** Hashes and buckets were recorded from `murmur3_32` of DuckDB 1.5.5. */
class BucketSpec extends AnyFunSuite {
  private val recorded: Vector[(LakeType.Primitive, String, Int)] = Vector(
    (LakeType.Int8, "1", 1392991556),
    (LakeType.Int32, "34", 2017239379),
    (LakeType.Int64, "34", 2017239379),
    (LakeType.Int64, "-1", 1651860712),
    (LakeType.UInt8, "34", -427558391),
    (LakeType.UInt32, "4294967295", -958289129),
    (LakeType.UInt64, "18446744073709551615", -556781685),
    (LakeType.Int128, "34", -427558391),
    (LakeType.UInt128, "34", -427558391),
    (LakeType.Bool, "true", 1392991556),
    (LakeType.Float32, "1.0", -142385009),
    (LakeType.Float64, "1.0", -142385009),
    (LakeType.Float64, "-0.0", 1669671676),
    (LakeType.Float32, "0.1", -1028223254),
    (LakeType.Float64, "nan", 1428788237),
    (LakeType.Decimal(9, 2), "14.20", -622427183),
    (LakeType.Decimal(18, 2), "-14.20", 531975521),
    (LakeType.Decimal(38, 2), "14.20", -1660625346),
    (LakeType.Decimal(19, 19), "0.5", 1556865174),
    (LakeType.Date, "2017-11-16", -653330422),
    (LakeType.Date, "infinity", 1819228606),
    (LakeType.Time, "22:31:08", -662762989),
    (LakeType.TimeNs, "22:31:08.000000001", -83597971),
    (LakeType.TimeTz, "22:31:08+05:30", 1866532097),
    (LakeType.Timestamp, "2017-11-16 22:31:08", -2047944441),
    (LakeType.TimestampTz, "2017-11-16 14:31:08-08", -2047944441),
    (LakeType.TimestampS, "2017-11-16 22:31:08", -243262269),
    (LakeType.TimestampMs, "2017-11-16 22:31:08", -1171784138),
    (LakeType.TimestampNs, "2017-11-16 22:31:08.000000001", -160215926),
    (LakeType.Interval, "1 year 2 days", 1117824653),
    (LakeType.Varchar, "iceberg", 1210000089),
    (LakeType.Varchar, "", 0),
    (LakeType.Varchar, "é🦆", 594681854),
    (LakeType.Json, "{\"a\":1}", -548411867),
    (LakeType.Blob, "\\x00\\x01\\xFF", -1530887849),
    (LakeType.Uuid, "f79c3e09-677c-4bbd-a479-3f349cb785e7", 980414783),
  )

  test("each type hashes as in DuckDB") {
    for ((lakeType, text, expected) <- recorded) {
      val literal = ValueText.parseCast(text, lakeType).getOrElse(fail(s"$lakeType $text"))
      assert(Bucket.hash(literal, lakeType).contains(expected), s"$lakeType $text")
    }
  }

  test("the bucket is the hash without its sign, modulo the count") {
    assert(Bucket.of(Literal.Integral(34), LakeType.Int32, 16).contains(3))
    assert(Bucket.of(Literal.Text("iceberg"), LakeType.Varchar, 16).contains(9))
    assert(Bucket.of(Literal.Integral(34), LakeType.UInt8, 16).contains(9))
    assert(Bucket.of(Literal.Null, LakeType.Int32, 16).isEmpty)
  }

  test("a promoted value may be in the bucket of any type it had") {
    val midnight = Literal.Timestamp(1510790400000000L)
    val noon = Literal.Timestamp(1510833600000001L)

    assert(Bucket.possible(Literal.Integral(34), LakeType.Int64, 16).contains(Set(3, 9)))
    assert(Bucket.possible(midnight, LakeType.Timestamp, 16).exists(_(10)))
    assert(Bucket.possible(noon, LakeType.Timestamp, 16).exists(_.size == 1))
    assert(Bucket.possible(Literal.Text("iceberg"), LakeType.Varchar, 16).contains(Set(9)))
    assert(Bucket.possible(Literal.Floating(1), LakeType.Float64, 16).isEmpty)
  }
}
