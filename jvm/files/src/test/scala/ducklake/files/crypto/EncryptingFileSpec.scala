package ducklake.files.crypto

import ducklake.catalog.model.FileKey
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.ColumnIOFactory
import org.apache.parquet.io.LocalInputFile
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.io.OutputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.Files
import java.nio.file.Path

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

class EncryptingFileSpec extends AnyFunSuite {

  private val folder = Files.createTempDirectory("ducklake-view")

  private val schema = MessageTypeParser.parseMessageType(
    "message m { required int64 a = 1; required int64 b = 2; optional binary s (STRING) = 3; }"
  )

  private def newPath: Path = folder.resolve(s"${Files.list(folder).count}.parquet")

  /** Row `n` has n, -n and, if n is even, a text. */
  private def write(file: OutputFile, rows: Int, version: WriterVersion): Unit = {
    val writer = ExampleParquetWriter
      .builder(file)
      .withConf(new PlainParquetConfiguration)
      .withType(schema)
      .withWriterVersion(version)
      .withDictionaryEncoding("a", false)
      .withDictionaryEncoding("b", false)
      .withRowGroupRowCountLimit(400)
      .withPageRowCountLimit(150)
      .build()
    try
      (0 until rows).foreach { row =>
        val group = new SimpleGroup(schema).append("a", row.toLong).append("b", -row.toLong)
        writer.write(if (row % 2 == 0) group.append("s", s"text ${row % 3}") else group)
      }
    finally writer.close()
  }

  private def rowsOf(path: Path, key: Option[FileKey], rows: Int): Vector[String] = {
    val input = new LocalInputFile(path)
    val known = key.map(EncryptedFile(_, rows.toLong))
    val options = ParquetReadOptions.builder(new PlainParquetConfiguration).build()
    val stream = DecryptedFile.of(input.newStream(), input.getLength, known)
    val footer = ParquetFileReader.readFooter(input, options, stream)
    Using.resource(new ParquetFileReader(input, footer, options, stream)) { reader =>
      Iterator
        .continually(reader.readNextRowGroup())
        .takeWhile(_ != null)
        .flatMap { pages =>
          val columns = new ColumnIOFactory().getColumnIO(schema)
          val read = columns.getRecordReader(pages, new GroupRecordConverter(schema))
          Vector.fill(pages.getRowCount.toInt)(read.read().toString)
        }
        .toVector
    }
  }

  private def plain(rows: Int, version: WriterVersion = WriterVersion.PARQUET_1_0): Path = {
    val path = newPath
    write(new LocalOutputFile(path), rows, version)
    path
  }

  /** The file as it is written through a view, in pieces of this size. */
  private def encrypted(from: Path, pieceBytes: Int): (Path, Option[FileKey]) = {
    val path = newPath
    val view = EncryptingFile.of(new LocalOutputFile(path), isLakeEncrypted = true)
    val stream = view.output.create(0L)
    try Files.readAllBytes(from).grouped(pieceBytes).foreach(stream.write(_))
    finally stream.close()
    (path, view.key)
  }

  test("an encrypted file has the rows of the plain one, in whatever pieces it is written") {
    for {
      version <- WriterVersion.values
      rows <- Vector(0, 1, 1000)
      pieceBytes <- Vector(1, 1000, 1 << 20)
    } {
      val original = plain(rows, version)
      val (path, key) = encrypted(original, pieceBytes)

      assert(rowsOf(path, key, rows) == rowsOf(original, None, rows))
      assert(Files.readAllBytes(path).take(4).sameElements("PARE".getBytes(US_ASCII)))
    }
  }

  test("its footer has the places and the sizes of the encrypted pages") {
    val (path, key) = encrypted(plain(1000), 100)
    val size = Files.size(path)
    val known = key.map(EncryptedFile(_, 1000L))
    val stream = DecryptedFile.of(new LocalInputFile(path).newStream(), size, known)

    val groups = Using.resource(stream) { opened =>
      val options = ParquetReadOptions.builder(new PlainParquetConfiguration).build()
      ParquetFileReader.readFooter(new LocalInputFile(path), options, opened).getBlocks.asScala
    }

    val chunks = groups.flatMap(_.getColumns.asScala)
    val ends = chunks.map(chunk => chunk.getStartingPos + chunk.getTotalSize)
    assert(chunks.map(_.getStartingPos) == 4L +: ends.dropRight(1))
    assert(groups.map(_.getCompressedSize).sum == ends.last - 4L)
    assert(chunks.forall(_.getOffsetIndexReference == null))
  }

  test("each file has a key of its own, and files of other lakes have none") {
    val file = new LocalOutputFile(newPath)
    val keys = Vector.fill(5)(EncryptingFile.of(file, isLakeEncrypted = true).key)

    assert(keys.flatten.distinct.size == 5)
    assert(EncryptingFile.of(file, isLakeEncrypted = false).key.isEmpty)
    assert(EncryptingFile.of(file, isLakeEncrypted = false).output == file)
  }

  test("a page that was moved to the place of another one is noticed") {
    val (path, key) = encrypted(plain(100), 1 << 20)
    val bytes = Files.readAllBytes(path)
    val first = pageBytes(bytes, 4)
    val second = pageBytes(bytes, 4 + first)
    val swapped = bytes.clone()
    System.arraycopy(bytes, 4, swapped, 4 + first, first)
    System.arraycopy(bytes, 4 + first, swapped, 4, second)
    Files.write(path, swapped)

    assert(first == second)
    val failure = intercept[EncryptionFailure](rowsOf(path, key, 100))
    assert(failure.why.startsWith("a page of row group 0 cannot be decrypted"))
  }

  /** Bytes of the two modules of the page at `at`. */
  private def pageBytes(bytes: Array[Byte], at: Int): Int = {
    val buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val header = 4 + buffer.getInt(at)
    header + 4 + buffer.getInt(at + header)
  }

  test("the file of a writer that has failed has no end") {
    val path = newPath
    val view = EncryptingFile.of(new LocalOutputFile(path), isLakeEncrypted = true)
    val stream = view.output.create(0L)
    stream.write(Files.readAllBytes(plain(100)).take(2000))
    stream.close()

    val failure = intercept[EncryptionFailure](rowsOf(path, view.key, 100))
    assert(failure.why == "it is no encrypted Parquet file, or its end is missing")
  }
}
