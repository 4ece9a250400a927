package ducklake.files.io

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.store.KnownFile
import ducklake.files.store.ParquetReaders
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.Path

import scala.annotation.tailrec
import scala.util.Using

/** Copies files of a table byte by byte. */
object FileCopier {

  private val BufferBytes = 1 << 20

  /** @param source path in Hadoop's form
    * @param target the path of the new file, which must not exist, in Hadoop's form
    * @param sizeBytes the size of the source in the catalog
    * @param table for messages
    *
    * Errors: UnreadableFile when the source is absent or has another size; UnwritableFile;
    * UnsupportedPath. The caller deletes the target then.
    */
  def copy(
      source: String,
      target: String,
      sizeBytes: Long,
      table: String,
      conf: Configuration,
  ): Unit = {
    val to = new Path(target)
    val input = FileFailure.naming(source, table) {
      ParquetReaders.stream(KnownFile.input(source, sizeBytes, conf))
    }
    Using.resource(input) { in =>
      FileFailure.writing(target, table) {
        val out = Storage.create(to, conf)
        WholeFile.written(Storage.abort(out), out.close()) {
          val copied = transfer(bytes => FileFailure.naming(source, table)(in.read(bytes)), out)
          if (copied != sizeBytes) {
            val why = s"it has $copied bytes, the catalog says $sizeBytes"
            throw new LakeException(LakeError.UnreadableFile(source, table, why))
          }
        }
      }
    }
  }

  /** The number of bytes copied. */
  private def transfer(
      read: Array[Byte] => Int,
      out: FSDataOutputStream,
  ): Long = {
    val buffer = new Array[Byte](BufferBytes)
    @tailrec
    def more(done: Long): Long = {
      val count = read(buffer)
      if (count < 0) done
      else {
        out.write(buffer, 0, count)
        more(done + count)
      }
    }
    more(0L)
  }
}
