package ducklake.files

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types

/** Sizes of a written positional delete file. */
final case class WrittenDeleteFile(sizeBytes: Long, footerSize: Long, rowGroups: Long)

/** Writes positional delete files as DuckDB does. Each row has the data file's path and a position.
  *
  * Source: DuckDB 1.5.5, format 6.2.
  */
object DeleteFileWriter {

  /** @param path the path in Hadoop's form; the file must not exist
    * @param dataFile the path that each row names, in DuckDB's spelling
    * @param table for messages
    *
    * Errors: `UnwritableFile` naming the delete file.
    */
  def write(
      path: String,
      dataFile: String,
      positions: DeletedPositions,
      table: String,
      conf: Configuration,
  ): WrittenDeleteFile =
    written(path, dataFile, table, Vector(positionColumn), conf) { rows =>
      val column = rows.numbers(0)
      positions.foreach { position =>
        column.add(position)
        rows.next()
      }
    }

  /** As [[write]], with a third column: the snapshot that deleted each position. */
  def writeWithSnapshots(
      path: String,
      dataFile: String,
      positions: SnapshotPositions,
      table: String,
      conf: Configuration,
  ): WrittenDeleteFile =
    written(path, dataFile, table, Vector(positionColumn, snapshotColumn), conf) { rows =>
      val (positionValues, snapshotValues) = (rows.numbers(0), rows.numbers(1))
      positions.foreach { (position, snapshot) =>
        positionValues.add(position)
        snapshotValues.add(snapshot)
        rows.next()
      }
    }

  private def written(
      path: String,
      dataFile: String,
      table: String,
      numbers: Vector[PrimitiveType],
      conf: Configuration,
  )(fill: DeletePageWriter => Unit): WrittenDeleteFile =
    FileFailure.writing(path, table) {
      val file = new MeasuredOutputFile(path, conf)
      val rows = new DeletePageWriter(file, schema(numbers), dataFile, conf)
      try {
        fill(rows)
        rows.end()
      } finally rows.close()
      WrittenDeleteFile(file.sizeBytes, file.footerSize, rows.rowGroups)
    }

  private def number(name: String, id: Int): PrimitiveType =
    Types
      .optional(PrimitiveTypeName.INT64)
      .as(LogicalTypeAnnotation.intType(64, true))
      .id(id)
      .named(name)

  private val positionColumn: PrimitiveType = number("pos", ReservedFields.deletedPosition)

  private val snapshotColumn: PrimitiveType =
    number(ReservedFields.snapshotIdName, ReservedFields.snapshotId)

  private def schema(numbers: Vector[PrimitiveType]): MessageType = Types
    .buildMessage()
    .addField(
      Types
        .optional(PrimitiveTypeName.BINARY)
        .as(LogicalTypeAnnotation.stringType())
        .id(ReservedFields.deletedPath)
        .named("file_path")
    )
    .addFields(numbers*)
    .named("duckdb_schema")
}
