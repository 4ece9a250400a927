package ducklake.files.copy

import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.format.ConvertedType
import org.apache.parquet.format.SchemaElement
import org.apache.parquet.format.Util
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files

class IntervalFooterSpec extends AnyFunSuite {

  private val schema = MessageTypeParser.parseMessageType(
    "message m { optional fixed_len_byte_array(12) i (INTERVAL); optional int32 n; }"
  )

  private def written(): Array[Byte] = {
    val path = Files.createTempDirectory("ducklake-intervals").resolve("i.parquet")
    val writer = ExampleParquetWriter.builder(new Path(path.toString)).withType(schema).build()
    val interval = Binary.fromConstantByteArray(Array.tabulate[Byte](12)(_.toByte))
    try
      writer.write(new SimpleGroupFactory(schema).newGroup().append("i", interval).append("n", 1))
    finally writer.close()
    Files.readAllBytes(path)
  }

  private def nodes(file: Array[Byte]): Vector[SchemaElement] = {
    val size = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(file.length - 8)
    val footer = Util.readFileMetaData(new ByteArrayInputStream(file, file.length - 8 - size, size))
    footer.getSchema.toArray(Array.empty[SchemaElement]).toVector
  }

  test("an interval is no longer described as a column that is always NULL") {
    val before = written()

    val after = IntervalFooter.corrected(before)

    assert(nodes(before)(1).getLogicalType.isSetUNKNOWN)
    assert(nodes(after)(1).getLogicalType == null)
    assert(nodes(after)(1).getConverted_type == ConvertedType.INTERVAL)
    assert(nodes(after)(2) == nodes(before)(2))
    assert(after.takeRight(4).toSeq == "PAR1".getBytes.toSeq)
    assert(IntervalFooter.isNeededFor(schema))
  }
}
