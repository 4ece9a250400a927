package ducklake.files.foreign

import ducklake.catalog.registration.FileColumn
import ducklake.files.testkit.BrokenFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Files that `add_data_files` and moves look at. */
final class BrokenFootersSpec extends AnyFunSuite {

  private val conf = new Configuration

  private val schema = MessageTypeParser.parseMessageType(
    """message m {
      |  required int64 id = 1;
      |  optional binary name (STRING) = 2;
      |  optional int64 at (TIMESTAMP(MICROS,true)) = 3;
      |  optional group s { optional double x; optional fixed_len_byte_array(9) d (DECIMAL(20,2)); }
      |  optional group l (LIST) { repeated group list { optional int32 element; } }
      |}""".stripMargin
  )

  private def written(): Array[Byte] = {
    val path = Files.createTempDirectory("ducklake-footers").resolve("a.parquet")
    val groups = new SimpleGroupFactory(schema)
    val writer = ExampleParquetWriter.builder(new Path(path.toString)).withType(schema).build()
    try
      (1 to 100).foreach { number =>
        val row = groups.newGroup().append("id", number.toLong).append("name", s"n$number")
        row.append("at", number.toLong).addGroup("s").append("x", number / 2.0): Unit
        row.addGroup("l").addGroup("list").append("element", number): Unit
        writer.write(row)
      }
    finally writer.close()
    Files.readAllBytes(path)
  }

  test("a broken footer is read or refused") {
    val folder = Files.createTempDirectory("ducklake-broken")
    val faults = new BrokenFile(folder, Vector(written())).faults(1000) { (path, _) =>
      val file = ExistingFile.read(path, "main.t", conf)
      val leaves = file.columns.collect { case FileColumn.Leaf(_, at, Some(known), _) =>
        (at, known)
      }
      (file.recordCount, leaves.map { case (at, known) => file.statistics(at, known) })
    }
    assert(faults == Seq())
  }
}
