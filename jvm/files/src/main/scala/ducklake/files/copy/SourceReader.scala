package ducklake.files.copy

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.copy.plan.SourceFile
import ducklake.files.copy.plan.SourceFiles
import ducklake.files.io.FileFailure
import ducklake.files.parquet.NoOpRecordConverter
import ducklake.files.store.KnownFile
import ducklake.files.store.ParquetReaders
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.MessageType

import scala.jdk.CollectionConverters.ListHasAsScala

/** An open source: its row groups, decoded or as they are stored. */
private[copy] final class SourceReader private (
    val file: SourceFile,
    table: String,
    val stream: NamedInput,
    val under: ParquetFileReader,
) extends AutoCloseable {

  private val schema: MessageType = under.getFileMetaData.getSchema
  val createdBy: String = under.getFileMetaData.getCreatedBy

  val groups: Vector[BlockMetaData] = under.getRowGroups.asScala.toVector

  // The chunks of the row group that was read last. For one task and one thread.
  private var known = (-1, Map.empty[Vector[String], ColumnChunkMetaData])

  /** The chunk of a column in a row group. */
  def chunk(group: Int, column: ColumnDescriptor): ColumnChunkMetaData = {
    if (known._1 != group) {
      val chunks = groups(group).getColumns.asScala
      known = (group, chunks.map(chunk => chunk.getPath.toArray.toVector -> chunk).toMap)
    }
    val path = column.getPath.toVector
    known._2.getOrElse(path, damaged(s"a row group has no column ${path.mkString(".")}"))
  }

  /** Runs `body` with readers of the columns of a row group, each at its first value. The bytes of
    * these columns are in memory meanwhile.
    */
  def decoded[A](group: Int, columns: Vector[ColumnDescriptor])(
      body: Vector[ColumnReader] => A
  ): A =
    if (columns.isEmpty) body(Vector.empty)
    else {
      val pages = named {
        ParquetReaders.select(under, columns.distinct)
        under.readRowGroup(group)
      }
      try {
        val store =
          new ColumnReadStoreImpl(pages, new NoOpRecordConverter(schema), schema, createdBy)
        body(named(columns.map(store.getColumnReader)))
      } finally pages.close()
    }

  /** Runs what reads from the file. Errors: `UnreadableFile`. */
  def named[A](body: => A): A = FileFailure.naming(file.filename, table)(body)

  def damaged(why: String): Nothing =
    throw new LakeException(LakeError.UnreadableFile(file.filename, table, why))

  override def close(): Unit = under.close()
}

private[copy] object SourceReader {

  /** Errors: `UnreadableFile`, `EncryptedLake`. */
  def open(files: SourceFiles, number: Int): SourceReader = {
    val file = files.files(number)
    FileFailure.naming(file.filename, files.table) {
      val input = KnownFile.input(file.path, file.sizeBytes, files.conf)
      val options = HadoopReadOptions.builder(files.conf, new Path(file.path)).build()
      val view = KnownFile.stream(input, file.encrypted)
      val stream = new NamedInput(view, file.filename, files.table)
      try {
        val footer =
          files.footer(number).getOrElse {
            KnownFile.footer(input, file.footerSize, options, stream)
          }
        val under = ParquetReaders.opened(input, footer, options, stream)
        new SourceReader(file, files.table, stream, under)
      } catch {
        case failure: Throwable =>
          stream.close()
          throw failure
      }
    }
  }
}
