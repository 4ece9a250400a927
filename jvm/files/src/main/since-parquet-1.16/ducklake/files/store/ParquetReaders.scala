package ducklake.files.store

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.SeekableInputStream

import scala.jdk.CollectionConverters.SeqHasAsJava

/** Parquet's readers of files that are open. */
private[files] object ParquetReaders {

  /** Opens the file. Its size is not requested. */
  def stream(input: InputFile): SeekableInputStream = input.newStream()

  /** The footer of an open file. */
  def footer(
      input: InputFile,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  ): ParquetMetadata = ParquetFileReader.readFooter(input, options, stream)

  /** A reader that closes the stream. */
  def opened(
      input: InputFile,
      footer: ParquetMetadata,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  ): ParquetFileReader = new ParquetFileReader(input, footer, options, stream)

  /** Runs `read` with a reader; the stream stays open. */
  def reading[A](
      input: InputFile,
      footer: ParquetMetadata,
      options: ParquetReadOptions,
      stream: SeekableInputStream,
  )(read: ParquetFileReader => A): A = {
    val reader = opened(input, footer, options, stream)
    try read(reader)
    finally {
      reader.detachFileInputStream()
      reader.close()
    }
  }

  /** Lets the reader read only these columns. */
  def select(reader: ParquetFileReader, columns: Vector[ColumnDescriptor]): Unit =
    reader.setRequestedSchema(columns.asJava)
}
