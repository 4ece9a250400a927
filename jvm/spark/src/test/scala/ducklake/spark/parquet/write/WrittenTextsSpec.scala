package ducklake.spark.parquet.write

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.unsafe.types.VariantVal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8

/** Text that is no UTF-8 goes into no file. */
final class WrittenTextsSpec extends AnyFunSuite {

  private def bytes(values: Int*): UTF8String =
    UTF8String.fromBytes(values.map(_.toByte).toArray)

  test("a text is UTF-8 or not, wherever its bytes stand") {
    val good = Vector("", "a", "12345678", "1234567é", "123456789é", "\ufffd", "🦆", "a\u0000b")
    val bad = Vector(
      bytes(0xff),
      bytes(0x61, 0xc3),
      bytes(0xed, 0xa0, 0x80),
      bytes(0xc0, 0x80),
      bytes(0xf4, 0x90, 0x80, 0x80),
    )

    for (text <- good) assert(Utf8.isValid(UTF8String.fromString(text)), text)
    for (text <- bad; before <- 0 to 17; behind <- 0 to 9) {
      val filled = UTF8String.concat(
        UTF8String.fromString("x" * before),
        text,
        UTF8String.fromString("y" * behind),
      )
      assert(!Utf8.isValid(filled), s"$before $behind")
    }
  }

  test("a part of a longer array is looked at alone") {
    val whole = Array[Byte](-1) ++ "0123456789".getBytes(UTF_8) ++ Array[Byte](-1)

    assert(Utf8.isValid(UTF8String.fromBytes(whole, 1, 10)))
    assert(!Utf8.isValid(UTF8String.fromBytes(whole, 1, 11)))
    assert(!Utf8.isValid(UTF8String.fromBytes(whole, 0, 11)))
  }

  private val wrong: UTF8String = bytes(0x61, 0xff)

  private def refusal(of: Column, value: Any): Option[String] =
    try {
      new WrittenRows(Vector(of)).writeInternal(value)
      None
    } catch {
      case failure: LakeException =>
        failure.error match {
          case invalid: LakeError.InvalidValue => Some(invalid.message)
          case other => fail(other.toString)
        }
    }

  test("texts and JSON are refused") {
    for (lakeType <- Vector(LakeType.Varchar, LakeType.Json)) {
      assert(refusal(column(1, "c", lakeType), wrong).exists(_.contains("no UTF-8")))
      assert(refusal(column(1, "c", lakeType), UTF8String.fromString("\"é\"")).isEmpty)
    }
  }

  test("strings and field names in variants are refused") {
    val variant = column(1, "c", LakeType.Variant)
    val parsed = VariantBuilder.parseJson(s"""{"name":["${"l" * 100}", "s", 1]}""", false)
    val (value, names) = (parsed.getValue, parsed.getMetadata)
    def spoilt(in: Array[Byte], letter: Char): Array[Byte] =
      in.updated(in.lastIndexOf(letter.toByte), -1.toByte)

    assert(refusal(variant, new VariantVal(value, names)).isEmpty)
    assert(refusal(variant, new VariantVal(spoilt(value, 'l'), names)).isDefined)
    assert(refusal(variant, new VariantVal(spoilt(value, 's'), names)).isDefined)
    assert(refusal(variant, new VariantVal(value, spoilt(names, 'n'))).isDefined)
  }
}
