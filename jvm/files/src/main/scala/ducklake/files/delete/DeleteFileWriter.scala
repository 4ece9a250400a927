package ducklake.files.delete

import ducklake.catalog.model.PhysicalFile
import ducklake.files.crypto.EncryptingFile
import ducklake.files.io.FileFailure
import ducklake.files.io.WholeFile
import ducklake.files.parquet.MeasuredOutputFile
import ducklake.files.parquet.ReservedFields
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types

/** A positional delete file that is about to be written.
  *
  * @param path in Hadoop's form; the file must not exist
  * @param dataFile the path that each row names, in DuckDB's spelling
  * @param table for messages
  */
final case class NewDeletes(path: String, dataFile: String, table: String, isEncrypted: Boolean)

/** Writes positional delete files as DuckDB does. Each row has the data file's path and a position.
  *
  * Source: DuckDB 1.5.5, format 6.2.
  */
object DeleteFileWriter {

  /** Errors: `UnwritableFile` naming the delete file. */
  def write(
      target: NewDeletes,
      positions: DeletedPositions,
      conf: Configuration,
  ): PhysicalFile =
    writtenPositions(target, schema(Vector(positionColumn)), positions, conf)

  /** Like [[write]], with the field ids by which readers of Iceberg find the columns.
    *
    * Source: Iceberg's specification, "Reserved Field IDs".
    */
  def writeForIceberg(
      target: NewDeletes,
      positions: DeletedPositions,
      conf: Configuration,
  ): PhysicalFile = {
    val position = number("pos", ReservedFields.icebergDeletedPosition)
    val columns = schema(Vector(position), ReservedFields.icebergDeletedPath)
    writtenPositions(target, columns, positions, conf)
  }

  private def writtenPositions(
      target: NewDeletes,
      columns: MessageType,
      positions: DeletedPositions,
      conf: Configuration,
  ): PhysicalFile =
    written(target, columns, conf) { rows =>
      val column = rows.numbers(0)
      positions.foreach { position =>
        column.add(position)
        rows.next()
      }
    }

  /** Like [[write]], with a third column: the snapshot that deleted each position. */
  def writeWithSnapshots(
      target: NewDeletes,
      positions: SnapshotPositions,
      conf: Configuration,
  ): PhysicalFile =
    written(target, schema(Vector(positionColumn, snapshotColumn)), conf) { rows =>
      val (positionValues, snapshotValues) = (rows.numbers(0), rows.numbers(1))
      positions.foreach { (position, snapshot) =>
        positionValues.add(position)
        snapshotValues.add(snapshot)
        rows.next()
      }
    }

  private def written(
      target: NewDeletes,
      columns: MessageType,
      conf: Configuration,
  )(fill: DeletePageWriter => Unit): PhysicalFile =
    FileFailure.writing(target.path, target.table) {
      val file = new MeasuredOutputFile(target.path, conf)
      val view = EncryptingFile.of(file, target.isEncrypted)
      val rows = new DeletePageWriter(view.output, columns, target.dataFile, conf)
      WholeFile.written(file.abort(), rows.close()) {
        fill(rows)
        rows.end()
      }
      file.physical(rows.rowGroups, view.key)
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

  private def schema(
      numbers: Vector[PrimitiveType],
      path: Int = ReservedFields.deletedPath,
  ): MessageType = Types
    .buildMessage()
    .addField(
      Types
        .optional(PrimitiveTypeName.BINARY)
        .as(LogicalTypeAnnotation.stringType())
        .id(path)
        .named("file_path")
    )
    .addFields(numbers*)
    .named("duckdb_schema")
}
