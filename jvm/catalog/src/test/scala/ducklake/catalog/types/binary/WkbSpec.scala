package ducklake.catalog.types.binary

import org.scalatest.funsuite.AnyFunSuite

import java.util.HexFormat

/** The expected bytes are those that DuckDB 1.5.5 gave for `ST_AsWKB(ST_GeomFromWKB(…))`. */
final class WkbSpec extends AnyFunSuite {

  private val hex = HexFormat.of()

  private def canonical(digits: String): Option[String] =
    Wkb.canonical(hex.parseHex(digits.filterNot(_ == ' '))).map(hex.formatHex)

  private val point = "0101000000000000000000f03f0000000000000040"
  private val one = "000000000000f03f"
  private val two = "0000000000000040"

  test("geometries in DuckDB's form stay as they are") {
    Seq(
      point,
      s"01 e9030000 $one $two $one",
      s"01 d1070000 $one $two $one",
      s"01 b90b0000 $one $two $one $two",
      "01 01000000 000000000000f87f 000000000000f87f",
      s"01 02000000 02000000 $one $two $two $one",
      "01 02000000 00000000",
      s"01 03000000 01000000 01000000 $one $two",
      s"01 04000000 01000000 $point",
      "01 05000000 01000000 01 02000000 00000000",
      "01 06000000 00000000",
      s"01 07000000 02000000 $point 01 07000000 00000000",
      "010700000001000000" * 15 + point,
    ).foreach(same => assert(canonical(same).contains(same.filterNot(_ == ' ')), same))
  }

  test("geometries in other forms get DuckDB's form") {
    Seq(
      "00 00000001 3ff0000000000000 4000000000000000" -> point,
      "02 00000001 3ff0000000000000 4000000000000000" -> point,
      s"01 01000020 e6100000 $one $two" -> point,
      s"01 01000080 $one $two $one" -> s"01 e9030000 $one $two $one",
      s"01 01000040 $one $two $one" -> s"01 d1070000 $one $two $one",
      s"01 010000e0 e6100000 $one $two $one $two" -> s"01 b90b0000 $one $two $one $two",
      "01 04000000 01000000 00 00000001 3ff0000000000000 4000000000000000" ->
        s"01 04000000 01000000 $point",
      s"01 04000020 05000000 01000000 01 01000020 07000000 $one $two" ->
        s"01 04000000 01000000 $point",
    ).foreach { case (other, form) =>
      assert(canonical(other).contains(form.filterNot(_ == ' ')), other)
    }
  }

  test("bytes that are no geometry for DuckDB are none") {
    Seq(
      "",
      "01",
      "78",
      "01 00000000",
      "01 08000000 00000000",
      "01 11000000 00000000",
      point.dropRight(2),
      point + "00",
      s"02 01000000 $one $two",
      s"01 02000000 ffffff7f $one $two",
      s"01 02000000 ffffffff $one $two",
      "01 03000000 05000000 00000000",
      s"01 04000000 ffffffff $point",
      "01 04000000 01000000 01 02000000 00000000",
      s"01 ef030000 01000000 $point",
      s"01 07000000 01000000 01 e9030000 $one $two $one",
    ).foreach(bad => assert(canonical(bad).isEmpty, bad))
  }

  test("a collection in more than 15 others, which has no text in DuckDB, is none") {
    assert(canonical("010700000001000000" * 16 + point).isEmpty)
  }
}
