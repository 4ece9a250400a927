package ducklake.files

import ducklake.catalog.model.DeleteFormat
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.*

/** Reads delete files of both formats.
  *
  * Source: DuckDB 1.5.5, format 6.2, 6.3 and 6.5; format 1.1, 6.2.
  */
object DeleteFileReader {

  /** The positions that are deleted at `snapshot`: positions without a snapshot id, and positions
    * whose snapshot id is at most `snapshot`.
    *
    * Errors: `UnreadableFile` naming the delete file.
    */
  def read(
      path: String,
      table: String,
      format: DeleteFormat,
      snapshot: Long,
      conf: Configuration,
  ): DeletedPositions =
    FileFailure.naming(path, table) {
      format match {
        case DeleteFormat.ParquetPositions => readParquet(new Path(path), snapshot, conf)
        case DeleteFormat.PuffinVector => PuffinFile(readBytes(new Path(path), conf)).at(snapshot)
      }
    }

  /** All positions, each with the snapshot that deleted it.
    *
    * @param begin the begin snapshot of the delete file, which counts for positions without a
    *   snapshot id
    *
    * Errors: `UnreadableFile` naming the delete file.
    */
  def readWithSnapshots(
      path: String,
      table: String,
      format: DeleteFormat,
      begin: Long,
      conf: Configuration,
  ): SnapshotPositions =
    FileFailure.naming(path, table) {
      format match {
        case DeleteFormat.ParquetPositions =>
          val found = SnapshotPositions.newBuilder
          scanParquet(new Path(path), conf) { (position, hasSnapshot, snapshot) =>
            found.add(position, if (hasSnapshot) snapshot else begin)
          }
          found.result()
        case DeleteFormat.PuffinVector =>
          PuffinFile(readBytes(new Path(path), conf)).withSnapshots(begin)
      }
    }

  private def readBytes(path: Path, conf: Configuration): Array[Byte] = {
    val stream = path.getFileSystem(conf).open(path)
    try stream.readAllBytes()
    finally stream.close()
  }

  private def readParquet(path: Path, snapshot: Long, conf: Configuration): DeletedPositions = {
    val positions = Array.newBuilder[Long]
    scanParquet(path, conf) { (position, hasSnapshot, own) =>
      if (!hasSnapshot || own <= snapshot) positions.addOne(position): Unit
    }
    DeletedPositions(positions.result())
  }

  /** Receives each position of a delete file. `snapshot` is valid only when `hasSnapshot` is true.
    * This is a trait and not a function type, because a function would box its numbers.
    */
  private trait Found {
    def take(position: Long, hasSnapshot: Boolean, snapshot: Long): Unit
  }

  private def scanParquet(path: Path, conf: Configuration)(found: Found): Unit = {
    // Without options of its own, Parquet parses Hadoop's default settings anew for each file.
    val options = HadoopReadOptions.builder(conf, path).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
    try {
      val schema = reader.getFileMetaData.getSchema
      val position = positionColumn(schema)
      val snapshots = snapshotColumn(schema)
      val wanted = (position +: snapshots.toSeq).map(column => schema.getType(column.getPath*))
      val requested = new MessageType(schema.getName, wanted*)
      reader.setRequestedSchema(requested)
      Iterator
        .continually(Option(reader.readNextRowGroup()))
        .takeWhile(_.nonEmpty)
        .flatten
        .foreach(pages => scanGroup(pages, requested, snapshots.nonEmpty, found))
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

  private def scanGroup(
      pages: PageReadStore,
      schema: MessageType,
      hasSnapshots: Boolean,
      found: Found,
  ): Unit = {
    val store = new ColumnReadStoreImpl(pages, new NoOpRecordConverter(schema), schema, "")
    val position = store.getColumnReader(schema.getColumns.get(0))
    val own = Option.when(hasSnapshots)(store.getColumnReader(schema.getColumns.get(1)))
    // A plain loop: delete files may name millions of rows.
    var row = 0L
    while (row < pages.getRowCount) {
      require(isPresent(position), "a position is NULL")
      // Parquet's column reader only moves on past a value that was taken.
      val value = position.getLong
      own match {
        case Some(ids) if isPresent(ids) => found.take(value, hasSnapshot = true, ids.getLong)
        case _ => found.take(value, hasSnapshot = false, 0L)
      }
      position.consume()
      own.foreach(_.consume())
      row += 1
    }
  }

  private def isPresent(column: ColumnReader): Boolean =
    column.getCurrentDefinitionLevel == column.getDescriptor.getMaxDefinitionLevel
}
