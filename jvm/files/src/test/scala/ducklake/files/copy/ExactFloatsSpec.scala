package ducklake.files.copy

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayOutputStream

class ExactFloatsSpec extends AnyFunSuite {

  private def writer(column: String): ValuesWriter = {
    val exact = new ExactFloats
    exact.initialize(ParquetProperties.builder().build())
    val schema = MessageTypeParser.parseMessageType(s"message m { optional $column; }")
    exact.newValuesWriter(schema.getColumns.get(0))
  }

  private def bytesOf(input: BytesInput): Seq[Int] = {
    val bytes = new ByteArrayOutputStream
    input.writeAllTo(bytes)
    bytes.toByteArray.toSeq.map(_.toInt & 0xff)
  }

  /** The bytes of the dictionary when the values repeat, and of the page when they do not. */
  private def written(column: String)(write: ValuesWriter => Unit): (Seq[Int], Seq[Int]) = {
    val repeated = writer(column)
    (1 to 50).foreach(_ => write(repeated))
    repeated.getBytes: Unit
    val once = writer(column)
    write(once)
    (bytesOf(repeated.toDictPageAndClose().getBytes), bytesOf(once.getBytes))
  }

  test("floating numbers that are no number keep their bits") {
    val doubles = Seq(0x7ff8000000000001L, 0xfff8000000000000L, 0x8000000000000000L)
    val floats = Seq(0x7fc00001, 0xffc00000)

    val ofDoubles = written("double d") { to =>
      doubles.foreach(bits => to.writeDouble(java.lang.Double.longBitsToDouble(bits)))
    }
    val ofFloats = written("float f") { to =>
      floats.foreach(bits => to.writeFloat(java.lang.Float.intBitsToFloat(bits)))
    }

    val bytesOfDoubles =
      Seq(1, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 0xf8, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x80)
    val bytesOfFloats = Seq(1, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0xff)
    assert(ofDoubles == ((bytesOfDoubles, bytesOfDoubles)))
    assert(ofFloats == ((bytesOfFloats, bytesOfFloats)))
  }
}
