package ducklake.files.io

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.CommonPathCapabilities
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileAlreadyExistsException
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.util.Progressable
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** File operations on Hadoop's file systems. */
object Storage {

  private val log = LoggerFactory.getLogger("ducklake.files.io.Storage")

  /** Deletes the files of a failed write. A file that does not exist counts as deleted. A file that
    * cannot be deleted stays as an orphan and is named in the log; no error is thrown, so that the
    * error of the write itself is reported. It works on an interrupted thread too: file systems
    * fail on interrupted threads, so the interrupt flag is cleared first and set again afterwards.
    * An interrupt in between leaves the rest of the files.
    *
    * @param paths the paths in Hadoop's form
    */
  def discard(paths: Vector[String], conf: Configuration): Unit =
    uninterrupted {
      try FileRemoval.run(paths, conf).foreach(warnOf)
      catch {
        case NonFatal(interrupt) =>
          log.warn(
            "The removal of {} files of a failed write was interrupted. Remove those that are left " +
              "with delete_orphaned_files. The first is {}",
            paths.size,
            paths.headOption.getOrElse(""),
            interrupt,
          )
      }
    }

  /** Gives up a new file: an object store discards the uploaded parts, and no object is created.
    * Elsewhere the file is closed, because Parquet's writer does not close a file that it could not
    * write, and the caller deletes it. Writing and closing may fail afterwards. It works on an
    * interrupted thread too.
    */
  private[files] def abort(file: FSDataOutputStream): Unit =
    uninterrupted {
      if (file.hasCapability(CommonPathCapabilities.ABORTABLE_STREAM)) file.abort(): Unit
      else file.close()
    }

  private def uninterrupted(body: => Unit): Unit = {
    val wasInterrupted = Thread.interrupted()
    try body
    finally if (wasInterrupted) Thread.currentThread().interrupt()
  }

  /** Names a file of a failed write that stays in the log. */
  def warnOf(left: Undeleted): Unit =
    log.warn(
      "The file {} of a failed write could not be deleted ({}). Remove it with " +
        "delete_orphaned_files.",
      left.path,
      left.why,
    )

  /** Creates a new file. Names of files are unique.
    *
    * Hadoop's local file system starts a process (`chmod`) for each file and folder that it
    * creates, which takes some milliseconds. So files and folders are created here, with the
    * default permissions of this process, like DuckDB's files; Hadoop then appends to the file. A
    * file system that is derived from the local one creates its files itself.
    *
    * No existence check on S3: an object becomes visible only when the upload completes, and names
    * are unique.
    */
  private[files] def create(target: Path, conf: Configuration): FSDataOutputStream =
    plain(target, conf) match {
      case local: RawLocalFileSystem =>
        local.pathToFile(target).getParentFile.mkdirs(): Unit
        if (local.getClass == classOf[RawLocalFileSystem]) onDisk(local, target)
        else elsewhere(local, target)
      case system if target.toUri.getScheme == "s3a" => onS3(system, target)
      case system => elsewhere(system, target)
    }

  private def onDisk(system: RawLocalFileSystem, target: Path): FSDataOutputStream = {
    if (!system.pathToFile(target).createNewFile())
      throw new FileAlreadyExistsException(s"$target already exists")
    system.append(target)
  }

  private def onS3(system: FileSystem, target: Path): FSDataOutputStream =
    system
      .createFile(target)
      .overwrite(true)
      .recursive()
      .opt("fs.s3a.create.performance", true)
      .build()

  private def elsewhere(system: FileSystem, target: Path): FSDataOutputStream =
    system.create(
      target,
      false,
      system.getConf.getInt("io.file.buffer.size", 4096),
      system.getDefaultReplication(target),
      system.getDefaultBlockSize(target),
      NoProgress,
    )

  private object NoProgress extends Progressable {
    override def progress(): Unit = ()
  }

  private[files] def plain(path: Path, conf: Configuration): FileSystem =
    path.getFileSystem(conf) match {
      case checked: ChecksumFileSystem => checked.getRawFileSystem
      case other => other
    }
}
