package ducklake.files.store

import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.util.functional.FutureIO
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.Util
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.hadoop.util.HadoopStreams
import org.apache.parquet.io.DelegatingSeekableInputStream
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters.ListHasAsScala

/** Parquet's readers of files that are open. */
private[files] object ParquetReaders {

  /** Opens the file. Its size is not requested: this version of Parquet's library opens files
    * without the size that it knows, and an object store would be asked for it.
    */
  def stream(input: InputFile): SeekableInputStream = input match {
    case file: HadoopInputFile =>
      val status = new FileStatus(file.getLength, false, 1, BlockBytes, 0L, file.getPath)
      val opening = file.getPath
        .getFileSystem(file.getConfiguration)
        .openFile(file.getPath)
        .withFileStatus(status)
        .build()
      HadoopStreams.wrap(FutureIO.awaitFuture(opening))
    case other => other.newStream()
  }

  /** Only for readers that split files by blocks, which ours do not. */
  private val BlockBytes = 128L * 1024 * 1024

  /** The footer of an open file. This version of Parquet's library throws a NullPointerException on
    * logical types that it does not know. The footer is then read without them, and their columns
    * have their physical types.
    */
  def footer(
      input: InputFile,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  ): ParquetMetadata =
    try ParquetFileReader.readFooter(input, options, stream)
    catch {
      case _: NullPointerException =>
        ParquetFileReader.readFooter(input, options, withKnownTypes(stream, input.getLength))
    }

  /** The end of a file whose footer has no unknown logical types, at the end of a file of the same
    * length.
    */
  private def withKnownTypes(stream: SeekableInputStream, length: Long): SeekableInputStream = {
    val size = new Array[Byte](TailBytes)
    stream.seek(length - TailBytes)
    stream.readFully(size)
    val footerBytes = ByteBuffer.wrap(size).order(ByteOrder.LITTLE_ENDIAN).getInt
    stream.seek(length - TailBytes - footerBytes)
    val footer = Util.readFileMetaData(stream)
    footer.getSchema.asScala
      .filter(field => field.isSetLogicalType && field.getLogicalType.getSetField == null)
      .foreach(_.unsetLogicalType())
    val end = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, end)
    val tail = ByteBuffer.allocate(TailBytes).order(ByteOrder.LITTLE_ENDIAN)
    end.writeBytes(tail.putInt(end.size).put("PAR1".getBytes(US_ASCII)).array())
    new PieceOfFile(new MemoryBytes(end.toByteArray), length - end.size)
  }

  /** The footer's size and the four letters behind it. */
  private val TailBytes = 8

  /** A reader that closes the stream. */
  def opened(
      input: InputFile,
      footer: ParquetMetadata,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  ): ParquetFileReader = input match {
    case file: HadoopInputFile =>
      new ParquetFileReader(file.getConfiguration, file.getPath, footer, options, stream)
    case other => new ParquetFileReader(other, options, stream)
  }

  /** Runs `read` with a reader; the stream stays open. */
  def reading[A](
      input: InputFile,
      footer: ParquetMetadata,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  )(read: ParquetFileReader => A): A = {
    val reader = opened(input, footer, options, new Borrowed(stream))
    try read(reader)
    finally reader.close()
  }

  /** Lets the reader read only these columns. */
  def select(reader: ParquetFileReader, columns: Vector[ColumnDescriptor]): Unit = {
    val schema = reader.getFileMetaData.getSchema
    val single = columns.map(column => new MessageType(schema.getName, branch(schema, column)))
    reader.setRequestedSchema(single.reduce(_ union _))
  }

  /** The field at the root that holds the column, with nothing but the column. */
  private def branch(schema: MessageType, column: ColumnDescriptor): Type = {
    val path = column.getPath.toVector
    path.indices.dropRight(1).reverse.foldLeft(schema.getType(path*)) { (below, depth) =>
      schema.getType(path.take(depth + 1)*).asGroupType.withNewFields(below)
    }
  }

  private final class Borrowed(under: SeekableInputStream)
      extends DelegatingSeekableInputStream(under) {
    override def getPos: Long = under.getPos
    override def seek(position: Long): Unit = under.seek(position)
    override def close(): Unit = ()
  }
}
