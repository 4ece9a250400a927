package ducklake.catalog.types.bound

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

/** The expected texts were read from the statistics that DuckDB 1.5.5 wrote for the same values. */
final class BoundTextSpec extends AnyFunSuite {

  private def text(value: String): (Option[String], Option[String]) = texts(value, value)

  private def texts(min: String, max: String): (Option[String], Option[String]) =
    BoundText.of(Some(Literal.Text(min)), Some(Literal.Text(max)), LakeType.Varchar)

  private def blob(bytes: Array[Byte]): (Option[String], Option[String]) = {
    val literal = Some(Literal.Bytes(ArraySeq.unsafeWrapArray(bytes)))
    BoundText.of(literal, literal, LakeType.Blob)
  }

  private def both(text: String): (Option[String], Option[String]) = (Some(text), Some(text))

  test("a text of at most 256 bytes is itself") {
    assert(text("") == both(""))
    assert(text("é" * 128) == both("é" * 128))
    assert(text("a" * 256) == both("a" * 256))
  }

  test("a longer text is cut, and the maximum is raised") {
    assert(text("a" * 300) == ((Some("a" * 256), Some("a" * 255 + "b"))))
    assert(text("~" * 300) == ((Some("~" * 256), Some("~" * 255 + "\u007f"))))
    assert(text("é" + "b" * 300) == ((Some("é" + "b" * 254), Some("é" + "b" * 253 + "c"))))
  }

  test("a cut never splits a character") {
    assert(text("c" * 255 + "é") == ((Some("c" * 255), Some("c" * 254 + "d"))))
  }

  test("what has no greater ASCII character at the end is dropped from the maximum") {
    assert(text("c" * 254 + "éé") == ((Some("c" * 254 + "é"), Some("c" * 253 + "d"))))
    assert(text("a" * 255 + "\u007fx") == ((Some("a" * 255 + "\u007f"), Some("a" * 254 + "b"))))
  }

  test("a long text without a raisable character makes both bounds unknown") {
    assert(text("é" * 129) == ((None, None)))
    assert(texts("a", "é" * 200) == ((None, None)))
    assert(texts("\u007f" * 300, "é") == ((None, None)))
  }

  test("a text with a NUL is unknown, its partner is not") {
    assert(texts("x\u0000y", "z") == ((None, Some("z"))))
    assert(texts("a", "x\u0000y") == ((Some("a"), None)))
  }

  test("blobs are hex digits, cut at 256 bytes") {
    assert(blob(Array[Byte](0x61, -1)) == both("61FF"))
    assert(blob(Array.fill[Byte](300)(0x61)) == ((Some("61" * 256), Some("61" * 255 + "62"))))
    assert(blob(Array.fill[Byte](300)(-1)) == ((None, None)))
    val endsHigh = Array.fill[Byte](255)(0x61) ++ Array[Byte](-1, -1)
    assert(blob(endsHigh) == ((Some("61" * 255 + "FF"), Some("61" * 254 + "62"))))
  }

  test("bounds that were truncated before stay as they are") {
    val (a, b) = ("a" * 300, "b" * 300)
    val texts = BoundText.truncated(Some(Literal.Text(a)), Some(Literal.Text(b)), LakeType.Varchar)
    val expected = (Some(Literal.Text("a" * 256)), Some(Literal.Text("b" * 255 + "c")))
    assert(texts == expected)
    assert(BoundText.truncated(texts._1, texts._2, LakeType.Varchar) == expected)

    val high =
      Some(Literal.Bytes(ArraySeq.unsafeWrapArray(Array.fill[Byte](255)(1) ++ "zz".getBytes)))
    val bytes = BoundText.truncated(None, high, LakeType.Blob)
    assert(bytes == ((None, Some(Literal.Bytes(ArraySeq.fill[Byte](255)(1) :+ '{'.toByte)))))
    assert(BoundText.truncated(bytes._1, bytes._2, LakeType.Blob) == bytes)
  }

  test("other types have DuckDB's spellings") {
    val cases = Vector[(Literal, LakeType.Primitive, Option[String])](
      (Literal.Bool(value = true), LakeType.Bool, Some("1")),
      (Literal.Integral(-1), LakeType.Int8, Some("-1")),
      (Literal.Floating(-0.0), LakeType.Float64, Some("-0.0")),
      (Literal.Floating(Double.NaN), LakeType.Float64, None),
      (Literal.Floating(Double.NegativeInfinity), LakeType.Float32, Some("-inf")),
      (Literal.Dec(new java.math.BigDecimal("0.125")), LakeType.Decimal(3, 3), Some(".125")),
      (Literal.Date(Int.MaxValue), LakeType.Date, Some("infinity")),
      (Literal.Timestamp(500000), LakeType.TimestampTz, Some("1970-01-01 00:00:00.5+00")),
      (Literal.BigIntegral(BigInt(5)), LakeType.Int128, None),
      (Literal.TimeTz(0, 0), LakeType.TimeTz, None),
      (Literal.Interval(1, 0, 0), LakeType.Interval, None),
    )
    cases.foreach { case (literal, lakeType, expected) =>
      assert(BoundText.of(Some(literal), None, lakeType) == ((expected, None)))
    }
  }
}
