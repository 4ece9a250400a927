package ducklake.files.store

import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import java.io.IOException

/** A file system whose files can only be read, by their names.
  *
  * @param why it cannot do anything else
  */
abstract class ReadOnlyFileSystem(why: String) extends FileSystem {

  override def setWorkingDirectory(folder: Path): Unit = ()

  override def listStatus(path: Path): Array[FileStatus] = refuse()

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable,
  ): FSDataOutputStream = refuse()

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    refuse()

  override def rename(from: Path, to: Path): Boolean = refuse()

  override def delete(path: Path, recursive: Boolean): Boolean = refuse()

  override def mkdirs(path: Path, permission: FsPermission): Boolean = refuse()

  private def refuse(): Nothing = throw new IOException(why)
}
