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
import org.apache.parquet.schema.PrimitiveType
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
    written(path, dataFile, table, schema(Vector.empty), conf) { writer =>
      positions.foreach(position => writer.write(Deleted(position, None)))
    }

  /** The same with a third column: the snapshot that deleted each position. */
  def writeDated(
      path: String,
      dataFile: String,
      positions: DatedPositions,
      table: String,
      conf: Configuration,
  ): WrittenDeletes =
    written(path, dataFile, table, schema(Vector(snapshotColumn)), conf) { writer =>
      positions.foreach((position, by) => writer.write(Deleted(position, Some(by))))
    }

  private def written(
      path: String,
      dataFile: String,
      table: String,
      schema: MessageType,
      conf: Configuration,
  )(rows: ParquetWriter[Deleted] => Unit): WrittenDeletes =
    FileFailure.writing(path, table) {
      val file = new NewFile(path, conf)
      val writer = new Builder(file, Binary.fromString(dataFile), schema)
        .withConf(conf)
        .withCompressionCodec(CompressionCodecName.SNAPPY)
        .build()
      try rows(writer)
      finally writer.close()
      WrittenDeletes(file.sizeBytes, file.footerSize)
    }

  /** @param snapshot that deleted it, in files that say so */
  private final case class Deleted(position: Long, snapshot: Option[Long])

  private def number(name: String, id: Int): PrimitiveType =
    Types
      .optional(PrimitiveTypeName.INT64)
      .as(LogicalTypeAnnotation.intType(64, true))
      .id(id)
      .named(name)

  private val snapshotColumn: PrimitiveType =
    number(ReservedFields.snapshotIdName, ReservedFields.snapshotId)

  private def schema(more: Vector[PrimitiveType]): MessageType = Types
    .buildMessage()
    .addField(
      Types
        .optional(PrimitiveTypeName.BINARY)
        .as(LogicalTypeAnnotation.stringType())
        .id(ReservedFields.deletedPath)
        .named("file_path")
    )
    .addFields((number("pos", ReservedFields.deletedPosition) +: more)*)
    .named("duckdb_schema")

  private final class Builder(file: NewFile, dataFile: Binary, schema: MessageType)
      extends ParquetWriter.Builder[Deleted, Builder](file) {
    override protected def self(): Builder = this
    override protected def getWriteSupport(conf: Configuration): WriteSupport[Deleted] =
      new Positions(dataFile, schema)
  }

  private final class Positions(dataFile: Binary, schema: MessageType)
      extends WriteSupport[Deleted] {
    // Parquet hands the consumer over before the first record.
    private var consumer: Option[RecordConsumer] = None

    override def init(conf: Configuration): WriteSupport.WriteContext =
      new WriteSupport.WriteContext(schema, Collections.emptyMap[String, String]())

    override def prepareForWrite(target: RecordConsumer): Unit = consumer = Some(target)

    override def write(deleted: Deleted): Unit = consumer.foreach { out =>
      out.startMessage()
      out.startField("file_path", 0)
      out.addBinary(dataFile)
      out.endField("file_path", 0)
      out.startField("pos", 1)
      out.addLong(deleted.position)
      out.endField("pos", 1)
      deleted.snapshot.foreach { snapshot =>
        out.startField(ReservedFields.snapshotIdName, 2)
        out.addLong(snapshot)
        out.endField(ReservedFields.snapshotIdName, 2)
      }
      out.endMessage()
    }
  }
}
