package ducklake.files

import scala.jdk.CollectionConverters.SeqHasAsJava
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.util.Progressable
import org.slf4j.LoggerFactory

/** File operations on Hadoop's file systems. */
object Storage {

  private val log = LoggerFactory.getLogger("ducklake.files.Storage")

  /** Deletes a file that is in no snapshot. A file that does not exist counts as deleted.
    *
    * @param path the path in Hadoop's form
    */
  def delete(path: String, conf: Configuration): Unit = {
    val target = new Path(path)
    plain(target, conf).delete(target, false): Unit
  }

  /** Deletes the files of a failed write. A file that cannot be deleted stays as an orphan and is
    * named in the log; no error is thrown, so that the error of the write itself is reported. It
    * works on an interrupted thread too: file systems fail on interrupted threads, so the interrupt
    * flag is cleared first and set again afterwards. Files are deleted in parallel.
    *
    * @param paths the paths in Hadoop's form
    */
  def discard(paths: Vector[String], conf: Configuration): Unit = {
    val wasInterrupted = Thread.interrupted()
    try paths.asJava.parallelStream().forEach(discardOne(_, conf))
    finally if (wasInterrupted) Thread.currentThread().interrupt()
  }

  private def discardOne(path: String, conf: Configuration): Unit =
    try delete(path, conf)
    catch {
      case NonFatal(cause) =>
        log.warn(
          "The file {} of a failed write could not be deleted ({}). Remove it with " +
            "delete_orphaned_files.",
          path,
          cause.toString,
        )
    }

  /** Creates a new file. Hadoop's local file system normally starts a process (`chmod`) for each
    * file and folder that it creates. This method creates folders itself and the file without
    * permissions, so that no process is started and the files get the default permissions of this
    * process, as in DuckDB.
    */
  private[files] def create(target: Path, conf: Configuration): FSDataOutputStream = {
    val system = plain(target, conf)
    system match {
      case local: RawLocalFileSystem => local.pathToFile(target.getParent).mkdirs(): Unit
      case _ => ()
    }
    system.create(
      target,
      false,
      system.getConf.getInt("io.file.buffer.size", 4096),
      system.getDefaultReplication(target),
      system.getDefaultBlockSize(target),
      NoProgress,
    )
  }

  private object NoProgress extends Progressable {
    override def progress(): Unit = ()
  }

  private[files] def plain(path: Path, conf: Configuration): FileSystem =
    path.getFileSystem(conf) match {
      case checked: ChecksumFileSystem => checked.getRawFileSystem
      case other => other
    }
}
