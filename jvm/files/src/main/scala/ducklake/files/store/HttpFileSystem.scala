package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import java.io.IOException
import java.net.URI

/** The files of lakes that are published by HTTP. They can be read from any position, which
  * Hadoop's own file system for HTTP cannot do; they cannot be listed, written or removed.
  */
final class HttpFileSystem extends FileSystem {

  // Hadoop makes file systems by their empty constructor, and calls `initialize` first.
  private var root = URI.create("http:///")

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    root = URI.create(s"${name.getScheme}://${name.getAuthority}/")
  }

  override def getUri: URI = root

  override def getScheme: String = root.getScheme

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new HttpStream(fileAt(path)))

  override def getFileStatus(path: Path): FileStatus = {
    val full = makeQualified(path)
    new FileStatus(fileAt(full).sizeBytes, false, 1, getDefaultBlockSize(full), 0L, full)
  }

  private def fileAt(path: Path): HttpFile = new HttpFile(makeQualified(path).toUri)

  override def getWorkingDirectory: Path = new Path(root)

  override def setWorkingDirectory(folder: Path): Unit = ()

  override def listStatus(path: Path): Array[FileStatus] =
    throw new IOException("HTTP cannot list files")

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

  private def refuse(): Nothing = throw new IOException("files are only read by HTTP")
}
