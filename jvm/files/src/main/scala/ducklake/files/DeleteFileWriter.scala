package ducklake.files

import java.util.Collections

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types

/** A positional delete file that was written. */
final case class WrittenDeletes(sizeBytes: Long, footerSize: Long)

/** Writes positional delete files, as DuckDB writes them: the data file's path and a position a row.
  *
  * Source: DuckDB 1.5.5, format 6.2.
  */
object DeleteFileWriter {

  /** @param path as Hadoop opens it; there must be no file
    * @param dataFile the path that each row names, in DuckDB's spelling
    * @param table for messages
    *
    * Errors: `UnwritableFile` naming the delete file.
    */
  def write(
      path: String,
      dataFile: String,
      positions: DeletePositions,
      table: String,
      conf: Configuration,
  ): WrittenDeletes =
    FileFailure.writing(path, table) {
      val file = new NewFile(path, conf)
      val writer = new Builder(file, Binary.fromString(dataFile))
        .withConf(conf)
        .withCompressionCodec(CompressionCodecName.SNAPPY)
        .build()
      try positions.foreach(position => writer.write(position))
      finally writer.close()
      WrittenDeletes(file.sizeBytes, file.footerSize)
    }

  private val schema: MessageType = Types
    .buildMessage()
    .addField(
      Types
        .optional(PrimitiveTypeName.BINARY)
        .as(LogicalTypeAnnotation.stringType())
        .id(ReservedFields.deletedPath)
        .named("file_path")
    )
    .addField(
      Types
        .optional(PrimitiveTypeName.INT64)
        .as(LogicalTypeAnnotation.intType(64, true))
        .id(ReservedFields.deletedPosition)
        .named("pos")
    )
    .named("duckdb_schema")

  private final class Builder(file: NewFile, dataFile: Binary)
      extends ParquetWriter.Builder[Long, Builder](file) {
    override protected def self(): Builder = this
    override protected def getWriteSupport(conf: Configuration): WriteSupport[Long] =
      new Positions(dataFile)
  }

  private final class Positions(dataFile: Binary) extends WriteSupport[Long] {
    // Parquet hands the consumer over before the first record.
    private var consumer: Option[RecordConsumer] = None

    override def init(conf: Configuration): WriteSupport.WriteContext =
      new WriteSupport.WriteContext(schema, Collections.emptyMap[String, String]())

    override def prepareForWrite(target: RecordConsumer): Unit = consumer = Some(target)

    override def write(position: Long): Unit = consumer.foreach { out =>
      out.startMessage()
      out.startField("file_path", 0)
      out.addBinary(dataFile)
      out.endField("file_path", 0)
      out.startField("pos", 1)
      out.addLong(position)
      out.endField("pos", 1)
      out.endMessage()
    }
  }
}
