package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path as HadoopPath
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Path

import scala.annotation.nowarn

/** Pages of NULLs that have no byte of values, not even the width of dictionary ids. */
class NullPagesSpec extends AnyFunSuite {

  private val rows = 4000
  private val schema = MessageTypeParser.parseMessageType(
    "message t { required int32 k = 1; required int64 p = 2; required int64 q = 3; " +
      "optional int64 v = 4; }"
  )

  /** `k`, `p` and `q` are the number of the row; `v` is NULL in the first half of the rows, then 7.
    */
  private lazy val file: Path = {
    val path = Files.createTempDirectory("null-pages").resolve("null.parquet")
    val output = HadoopOutputFile.fromPath(new HadoopPath(path.toUri), new Configuration(false))
    val mode = ParquetFileWriter.Mode.CREATE
    val writer = new ParquetFileWriter(output, schema, mode, 1L << 27, 1 << 23, 64, 64, false)
    writer.start()
    writer.startBlock(rows.toLong)
    val numbers = 0L until rows.toLong
    Vector(numbers.map(integer), numbers.map(long), numbers.map(long)).zipWithIndex.foreach {
      case (values, column) =>
        begin(writer, column)
        val all = BytesInput.concat(values*)
        page(writer, column, rows, BytesInput.empty, Encoding.PLAIN, all, 0L, rows - 1L)
        writer.endColumn()
    }
    begin(writer, 3)
    writer.writeDictionaryPage(new DictionaryPage(long(7L), 1, Encoding.PLAIN))
    val half = rows / 2
    val ids = Encoding.RLE_DICTIONARY
    page(writer, 3, half, runOf(half, 0), ids, BytesInput.empty)
    val sevens = BytesInput.concat(BytesInput.from(Array[Byte](1)), runOf(half, 0))
    page(writer, 3, half, runOf(half, 1), ids, sevens, 7L)
    writer.endColumn()
    writer.endBlock()
    writer.end(new java.util.HashMap[String, String])
    path
  }

  private def begin(writer: ParquetFileWriter, column: Int): Unit =
    writer.startColumn(
      schema.getColumns.get(column),
      rows.toLong,
      CompressionCodecName.UNCOMPRESSED,
    )

  @nowarn("cat=deprecation") // The calls that replace it are not in all versions of the library.
  private def page(
      writer: ParquetFileWriter,
      column: Int,
      count: Int,
      levels: BytesInput,
      encoding: Encoding,
      values: BytesInput,
      bounds: Long*
  ): Unit = {
    val nulls = if (bounds.isEmpty) count else 0
    val known: Statistics[_] =
      Statistics.createStats(schema.getColumns.get(column).getPrimitiveType)
    known.incrementNumNulls(nulls.toLong)
    bounds.foreach { bound =>
      if (column == 0) known.updateStats(bound.toInt) else known.updateStats(bound)
    }
    writer.writeDataPageV2(
      count,
      nulls,
      count,
      BytesInput.empty,
      levels,
      encoding,
      values,
      values.size.toInt,
      known,
    )
  }

  private def integer(value: Long): BytesInput = BytesInput.fromInt(value.toInt)

  private def long(value: Long): BytesInput =
    BytesInput.from(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array)

  /** A run of one number of at most eight bits. */
  private def runOf(count: Int, number: Int): BytesInput =
    BytesInput.concat(
      BytesInput.fromUnsignedVarInt(count << 1),
      BytesInput.from(Array(number.toByte)),
    )

  private def found(key: Long): Vector[Seq[Any]] = {
    val longs = Vector("p", "q", "v").zipWithIndex.map { case (name, at) =>
      column(2L + at, name, LakeType.Int64)
    }
    val columns = column(1, "k", LakeType.Int32) +: longs
    val wanted = Predicate.Compare(ColumnId(1), Comparison.Equal, Literal.Integral(key))
    val spec = TaskRows.spec(columns.map(data)*).copy(predicates = Vector(wanted))
    TaskRows.of(spec, TaskRows.part(file).copy(recordCount = rows.toLong))
  }

  test("a row of such a page is read, and a row of the next page") {
    assert(found(5) == Vector(Seq[Any](5, 5L, 5L, null)))
    assert(found(3005) == Vector(Seq[Any](3005, 3005L, 3005L, 7L)))
  }
}
