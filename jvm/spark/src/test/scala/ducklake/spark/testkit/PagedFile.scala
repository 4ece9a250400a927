package ducklake.spark.testkit

import org.apache.hadoop.fs.Path as HadoopPath
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.MessageTypeParser

import java.nio.file.Files
import java.nio.file.Path

/** Parquet files whose pages have a chosen number of rows and which have column indexes, as files of
  * our own and of other writers have, and DuckDB's have not.
  */
object PagedFile {

  /** How a file is written.
    *
    * @param pageRows rows of a page; columns of other sizes have pages that begin elsewhere
    * @param groupRows rows of a row group
    */
  final case class Layout(
      pageRows: Int,
      groupRows: Int = 1000000,
      version: WriterVersion = WriterVersion.PARQUET_1_0,
      hasDictionary: Boolean = false,
      codec: CompressionCodecName = CompressionCodecName.SNAPPY,
  )

  /** @param schema as Parquet writes it, such as `message t { optional int64 k = 1; }`
    * @param fill sets the fields of the row with a number
    */
  def write(file: Path, schema: String, rows: Int, layout: Layout)(
      fill: (Group, Int) => Group
  ): Path = {
    val parsed = MessageTypeParser.parseMessageType(schema)
    Files.deleteIfExists(file)
    val writer = ExampleParquetWriter
      .builder(new HadoopPath(file.toUri))
      .withType(parsed)
      .withPageRowCountLimit(layout.pageRows)
      .withRowGroupRowCountLimit(layout.groupRows)
      .withWriterVersion(layout.version)
      .withDictionaryEncoding(layout.hasDictionary)
      .withCompressionCodec(layout.codec)
      .build()
    val groups = new SimpleGroupFactory(parsed)
    try
      (0 until rows).foreach { row =>
        writer.write(fill(groups.newGroup(), row))
      }
    finally writer.close()
    file
  }
}
