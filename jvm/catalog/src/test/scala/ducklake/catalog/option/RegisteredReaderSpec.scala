package ducklake.catalog.option

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import ducklake.catalog.types.text.OptionText
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

final class RegisteredReaderSpec extends AnyFunSuite {
  private val at = Instant.parse("2026-11-27T08:30:00.123456Z")

  private def stored(key: String, value: String, table: Long): LakeOption =
    LakeOption(key, value, OptionScope.OfTable(TableId(table)))

  test("a reader is stored with its position and time, and read again") {
    val reader = RegisteredReader("a b.c", TableId(7), SnapshotId(42), at)
    assert(reader.key == "spark_reader.a b.c")
    assert(reader.value == "42 2026-11-27T08:30:00.123456Z")
    assert(RegisteredReader.of(Vector(stored(reader.key, reader.value, 7))) == Vector(reader))
  }

  test("readers are ordered by name and table, and other options are none") {
    val options = Vector(
      stored("spark_reader.b", s"1 $at", 1),
      stored("spark_reader.a", s"2 $at", 10),
      stored("spark_reader.a", s"3 $at", 9),
      stored("spark_stream_epoch.a", s"3 $at", 9),
      LakeOption("spark_reader.c", s"3 $at", OptionScope.Global),
    )
    assert(RegisteredReader.of(options).map(_.read.value) == Vector(3L, 2L, 1L))
  }

  test("a text that is no position is an error of the catalog") {
    Seq("", "1", "x 2026-11-27T08:30:00Z", "1 yesterday").foreach { text =>
      val failed =
        intercept[LakeException](RegisteredReader.of(Vector(stored("spark_reader.a", text, 1))))
      val found = s"its value is `$text`"
      assert(failed.error == LakeError.CorruptCatalog("option `spark_reader.a`", found))
    }
  }

  test("readers count for two hours at least") {
    assert(OptionText.readerAge("2 hours") == Right("2 hours"))
    assert(OptionText.readerAge("1 month") == Right("1 month"))
    Seq("119 minutes", "7", "soon", "-3 days").foreach { text =>
      assert(OptionText.readerAge(text).isLeft, text)
    }
  }
}
