package ducklake.files.parquet

import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayOutputStream
import java.io.ObjectOutputStream
import java.nio.file.Files

import scala.collection.immutable.ArraySeq

final class FooterStatisticsSpec extends AnyFunSuite {

  private val schema = MessageTypeParser.parseMessageType(
    "message m { optional binary t (STRING) = 1; optional binary b = 2; }"
  )
  private val leaves = Vector(
    LeafColumn(Vector("t"), Vector(ColumnId(1)), LakeType.Varchar),
    LeafColumn(Vector("b"), Vector(ColumnId(2)), LakeType.Blob),
  )
  private val million = 1000000

  /** The statistics of a file with these texts, which stand in its second column as bytes. */
  private def statistics(texts: String*): Map[ColumnId, ColumnStatistics] = {
    val path = Files.createTempDirectory("ducklake-statistics").resolve("f.parquet")
    val writer = ExampleParquetWriter.builder(new Path(path.toString)).withType(schema).build()
    val rows = new SimpleGroupFactory(schema)
    try
      texts.foreach { text =>
        val row = rows.newGroup().append("t", text)
        writer.write(row.append("b", Binary.fromConstantByteArray(text.getBytes)))
      }
    finally writer.close()
    FooterStatistics.of(writer.getFooter, leaves, Set.empty)
  }

  private def sent(value: AnyRef): Int = {
    val bytes = new ByteArrayOutputStream()
    val out = new ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    bytes.size
  }

  test("long texts and bytes do not travel to the driver as bounds") {
    val known = statistics("a" * million, "b" * million)

    val (a, b) = ("a" * 256, "b" * 255 + "c")
    val text = known(ColumnId(1))
    assert((text.min, text.max) == ((Some(Literal.Text(a)), Some(Literal.Text(b)))))
    assert(!text.minIsValue && !text.maxIsValue)
    val bytes = known(ColumnId(2))
    val literal = (text: String) => Some(Literal.Bytes(ArraySeq.unsafeWrapArray(text.getBytes)))
    assert((bytes.min, bytes.max) == ((literal(a), literal(b))))
    assert(sent(known) < 10000)
    assert(sent(PackedStatistics.of(known)) < 2000)
  }

  test("a short bound beside a truncated one is known to be a value") {
    val text = statistics("a", "b" * million)(ColumnId(1))

    assert((text.min, text.minIsValue) == ((Some(Literal.Text("a")), true)))
    assert(!text.maxIsValue)
  }
}
