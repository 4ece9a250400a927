package ducklake.catalog.types.text

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

class WrittenTextSpec extends AnyFunSuite {
  import WrittenText.LocalInstant
  import WrittenText.Value

  /** What DuckDB 1.5.5 casts these texts to. */
  private val recorded = Vector[(LakeType.Primitive, String, Option[WrittenText.Cast])](
    (LakeType.Int8, "0x10", Some(Value(Literal.Integral(16)))),
    (LakeType.Int8, "0xff", None),
    (LakeType.Int64, "0X1_f", Some(Value(Literal.Integral(31)))),
    (LakeType.UInt8, "0b11", Some(Value(Literal.Integral(3)))),
    (LakeType.Int32, " 0x10 ", None),
    (LakeType.Int32, "-0x1", None),
    (LakeType.Int32, "0x", None),
    (LakeType.Int128, "0x10", None),
    (LakeType.UInt128, "1_000", Some(Value(Literal.BigIntegral(1000)))),
    (LakeType.Int64, "1_0.5", Some(Value(Literal.Integral(11)))),
    (LakeType.Int64, "1_0e1_0", Some(Value(Literal.Integral(100000000000L)))),
    (LakeType.Int64, "1_e3", None),
    (LakeType.Int32, "1__0", None),
    (LakeType.Int32, "_1", None),
    (LakeType.Float64, "1.5_5", Some(Value(Literal.Floating(1.55)))),
    (LakeType.Float64, "1_.5", None),
    (LakeType.Float64, "0x10", None),
    (LakeType.Varchar, "1_0", Some(Value(Literal.Text("1_0")))),
    (LakeType.Varchar, "epoch", Some(Value(Literal.Text("epoch")))),
    (LakeType.Date, "\tEpoch ", Some(Value(Literal.Date(0)))),
    (LakeType.TimestampNs, "epoch", Some(Value(Literal.Timestamp(0)))),
    (LakeType.TimestampTz, "epoch", Some(Value(Literal.Timestamp(0)))),
    (LakeType.Timestamp, "epochs", None),
    (LakeType.Interval, "1.5 days", Some(Value(Literal.Interval(0, 1, 43200000000L)))),
    (LakeType.TimestampTz, "1970-01-01 00:00:01", Some(LocalInstant(1000000))),
    (LakeType.TimestampTz, "1970-01-01", Some(LocalInstant(0))),
    (LakeType.TimestampTz, "1970-01-01 00:00:01Z", Some(Value(Literal.Timestamp(1000000)))),
    (LakeType.TimestampTz, "infinity", Some(Value(Literal.Timestamp(Long.MaxValue)))),
    (LakeType.TimeTz, "00:00:01+01", Some(Value(Literal.TimeTz(1000000, 3600)))),
    (LakeType.TimeTz, "00:00:01", None),
  )

  test("texts are the values to which DuckDB casts them") {
    for ((lakeType, text, expected) <- recorded)
      assert(WrittenText.parse(text, lakeType) == expected, s"$lakeType $text")
  }
}
