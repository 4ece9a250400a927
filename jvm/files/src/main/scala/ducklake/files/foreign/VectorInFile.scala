package ducklake.files.foreign

import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.DeletionVector
import ducklake.files.io.FileFailure
import ducklake.files.store.ParquetReaders
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopInputFile

import scala.util.Using

/** Reads a deletion vector that is a part of a file. */
object VectorInFile {

  /** @param path in Hadoop's form
    * @param offset of the vector's first byte
    * @param rows of the data file
    * @param table for messages
    *
    * Errors: `UnreadableFile` naming the file.
    */
  def read(
      path: String,
      offset: Long,
      sizeBytes: Long,
      rows: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions =
    FileFailure.naming(path, table) {
      val input = HadoopInputFile.fromPath(new Path(path), conf)
      Using.resource(ParquetReaders.stream(input)) { stream =>
        val isInside =
          offset >= 0 && sizeBytes >= 0 && offset <= input.getLength - sizeBytes
        require(isInside, s"it has no $sizeBytes bytes at $offset")
        val bytes = new Array[Byte](Math.toIntExact(sizeBytes))
        stream.seek(offset)
        stream.readFully(bytes)
        DeletedPositions.of(DeletionVector.decode(bytes, rows))
      }
    }
}
