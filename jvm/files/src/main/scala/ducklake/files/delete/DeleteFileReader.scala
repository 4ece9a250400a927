package ducklake.files.delete

import ducklake.catalog.model.DeleteFormat
import ducklake.files.io.FileFailure
import ducklake.files.parquet.ReservedFields
import ducklake.files.store.KnownFile
import ducklake.files.store.ParquetReaders
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type

import java.util.Arrays

import scala.jdk.CollectionConverters.*
import scala.util.Using

/** Reads delete files of both formats. Each position is a row of the data file: what is beyond its
  * rows is refused before it takes memory.
  *
  * Source: DuckDB 1.5.5, format 6.2, 6.3, 6.5 and 14.6.
  */
object DeleteFileReader {

  /** Positions count from 0. */
  private val NoPosition = -1L

  /** Before all snapshots. */
  private val Always = Long.MinValue

  /** A position is deleted at a snapshot if it has no snapshot id, or if its snapshot id is at most
    * the id of the snapshot.
    *
    * @param table for messages
    *
    * Errors: `UnreadableFile` naming the delete file; `EncryptedLake`.
    */
  private[delete] def read(file: StoredDeletes, table: String, conf: Configuration): DeletesOfFile =
    FileFailure.naming(file.path, table) {
      file.format match {
        case DeleteFormat.ParquetPositions => readParquet(file, conf)
        case DeleteFormat.PuffinVector => DeletesOfFile.Vectors(readVectors(file, conf))
      }
    }

  /** All positions, each with the snapshot that deleted it.
    *
    * @param begin the begin snapshot of the delete file, which is used for positions without a
    *   snapshot id
    *
    * Errors: `UnreadableFile` naming the delete file; `EncryptedLake`.
    */
  def readWithSnapshots(
      file: StoredDeletes,
      table: String,
      begin: Long,
      conf: Configuration,
  ): SnapshotPositions =
    FileFailure.naming(file.path, table) {
      file.format match {
        case DeleteFormat.ParquetPositions =>
          val (positions, snapshots) = readNumbers(file, absent = begin, conf)
          SnapshotPositions.of(positions, snapshots)
        case DeleteFormat.PuffinVector =>
          readVectors(file, conf).withSnapshots(begin)
      }
    }

  private def readVectors(file: StoredDeletes, conf: Configuration): PuffinFile = {
    val size = file.sizeBytes
    require(size >= 0 && size < Int.MaxValue, s"its size in the catalog is $size bytes")
    val input = KnownFile.input(file.path, size, conf)
    val bytes = Using.resource(ParquetReaders.stream(input))(_.readNBytes(size.toInt + 1))
    require(bytes.length.toLong == size, s"it does not have the $size bytes of the catalog")
    PuffinFile(bytes, file.dataRows)
  }

  private def readParquet(file: StoredDeletes, conf: Configuration): DeletesOfFile = {
    val (positions, snapshots) = readNumbers(file, absent = Always, conf)
    if (Arrays.stream(snapshots).allMatch(_ == Always))
      DeletesOfFile.Always(DeletedPositions.of(positions))
    else DeletesOfFile.Since(SnapshotPositions.of(positions, snapshots))
  }

  /** The positions, and the snapshot that deleted each.
    *
    * @param absent the snapshot of positions without a snapshot in the file
    */
  private def readNumbers(
      file: StoredDeletes,
      absent: Long,
      conf: Configuration,
  ): (Array[Long], Array[Long]) = {
    // Without its own options, Parquet parses Hadoop's default settings again for each file.
    val input = KnownFile.input(file.path, file.sizeBytes, conf)
    val options = HadoopReadOptions.builder(conf, input.getPath).build()
    val reader = KnownFile.opened(input, options, file.encrypted)
    try {
      val schema = reader.getFileMetaData.getSchema
      val position = positionColumn(schema)
      val snapshot = snapshotColumn(schema)
      val wanted = (position +: snapshot.toSeq).map(column => schema.getType(column.getPath*))
      reader.setRequestedSchema(new MessageType(schema.getName, wanted*))
      require(
        reader.getRecordCount <= file.dataRows,
        s"it has ${reader.getRecordCount} positions, and its data file ${file.dataRows} rows",
      )
      val rows = Math.toIntExact(reader.getRecordCount)
      val positions = new Array[Long](rows)
      val snapshots = new Array[Long](rows)
      Arrays.fill(snapshots, absent)
      Iterator
        .continually(Option(reader.readNextRowGroup()))
        .takeWhile(_.nonEmpty)
        .flatten
        .foldLeft(0) { (from, group) =>
          val present = new NumberPages(position, NoPosition).read(group, positions, from)
          require(present.toLong == group.getRowCount, "a position is NULL")
          snapshot.foreach(new NumberPages(_, absent).read(group, snapshots, from): Unit)
          from + present
        }: Unit
      positions.foreach(DeletedPositions.requireRow(_, file.dataRows))
      (positions, snapshots)
    } finally reader.close()
  }

  /** The position column. DuckDB finds the first two columns by position and requires their types.
    */
  private def positionColumn(schema: MessageType): ColumnDescriptor = {
    val columns = schema.getColumns
    require(columns.size >= 2, "a delete file needs the columns file_path and pos")
    val column = columns.get(1)
    require(
      column.getPrimitiveType.getPrimitiveTypeName == PrimitiveTypeName.INT64,
      "the second column of a delete file must be BIGINT",
    )
    column
  }

  private def snapshotColumn(schema: MessageType): Option[ColumnDescriptor] =
    schema.getFields.asScala.find(isSnapshotId).map { field =>
      require(
        field.isPrimitive &&
          field.asPrimitiveType.getPrimitiveTypeName == PrimitiveTypeName.INT64,
        "the snapshot column of a delete file must be BIGINT",
      )
      schema.getColumnDescription(Array(field.getName))
    }

  private def isSnapshotId(field: Type): Boolean =
    field.getName == ReservedFields.snapshotIdName ||
      Option(field.getId).exists(_.intValue == ReservedFields.snapshotId)
}
