package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.Path

import java.net.URI

/** The files of lakes that are published by HTTP. They can be read from any position, which
  * Hadoop's own file system for HTTP cannot do; they cannot be listed, written or removed.
  */
final class HttpFileSystem extends ReadOnlyFileSystem("files are only read by HTTP, by name") {

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
}
