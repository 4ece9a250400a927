package ducklake.files

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.util.Progressable
import org.slf4j.LoggerFactory

/** Hadoop's file systems, as we use them. */
object Storage {

  private val log = LoggerFactory.getLogger("ducklake.files.Storage")

  /** Deletes a file that is in no snapshot; one that is not there counts as deleted.
    *
    * @param path as Hadoop opens it
    */
  def delete(path: String, conf: Configuration): Unit = {
    val target = new Path(path)
    plain(target, conf).delete(target, false): Unit
  }

  /** Deletes the files of a write that failed. A file that cannot be deleted stays behind as an
    * orphan, and the log names it: the error of the write itself counts. Works on an interrupted
    * thread too, which file systems refuse to serve; the thread's flag is set again afterwards.
    *
    * @param paths as Hadoop opens them
    */
  def discard(paths: Vector[String], conf: Configuration): Unit = {
    val wasInterrupted = Thread.interrupted()
    try paths.foreach(discardOne(_, conf))
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

  /** Begins a new file. Hadoop's local file system would start a process (`chmod`) for each file and
    * each folder that it makes; asked so, it leaves them the rights that the process gives, as DuckDB
    * does.
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
