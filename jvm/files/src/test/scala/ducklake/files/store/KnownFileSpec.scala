package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.DelegatingSeekableInputStream
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Paths

/** How the footers of known files are read. */
final class KnownFileSpec extends AnyFunSuite {

  private val conf = new Configuration

  private lazy val path: String = {
    val schema = MessageTypeParser.parseMessageType("message m { required int64 n; }")
    val file = Files.createTempDirectory("ducklake-known").resolve("a.parquet").toString
    val writer = ExampleParquetWriter.builder(new Path(file)).withType(schema).build()
    val groups = new SimpleGroupFactory(schema)
    try (0L until 9L).foreach(n => writer.write(groups.newGroup().append("n", n)))
    finally writer.close()
    file
  }

  private def bytes: Array[Byte] = Files.readAllBytes(Paths.get(path))

  /** As the file says it itself. */
  private def footerSize: Long =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8).toLong

  /** Counts how often the position of an open file was moved. */
  private final class Counted(under: SeekableInputStream)
      extends DelegatingSeekableInputStream(under) {
    var moves = 0

    override def getPos: Long = under.getPos

    override def seek(position: Long): Unit = {
      moves += 1
      under.seek(position)
    }
  }

  private def options: ParquetReadOptions = HadoopReadOptions.builder(conf, new Path(path)).build()

  /** The rows that the footer counts, and the number of moves. */
  private def read(footerSize: Long): (Long, Int) = {
    val input = KnownFile.input(path, bytes.length.toLong, conf)
    val stream = new Counted(input.newStream())
    try {
      val footer = KnownFile.footer(input, footerSize, options, stream)
      (footer.getBlocks.get(0).getRowCount, stream.moves)
    } finally stream.close()
  }

  test("a footer of known size is read from one place") {
    assert(read(footerSize) == (9L, 1))
  }

  test("a footer of unknown or wrong size is read as Parquet does") {
    Seq(0L, -1L, footerSize - 1, footerSize + 1, 1L << 40).foreach { wrong =>
      val (rows, moves) = read(wrong)
      assert(rows == 9L)
      assert(moves >= 2)
    }
  }

  test("a small file is read to its end and closed") {
    val reader = KnownFile.opened(KnownFile.input(path, bytes.length.toLong, conf), options, None)

    try assert(reader.readNextRowGroup().getRowCount == 9L)
    finally reader.close()
  }
}
