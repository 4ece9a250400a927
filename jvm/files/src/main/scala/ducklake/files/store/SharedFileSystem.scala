package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.FilterFileSystem

import java.net.URI

/** The entry of a shared file system in Hadoop's own cache. Hadoop closes it there with the session
  * of its user (`closeAllForUGI`), and with the process. The entry creates and closes the file
  * system behind it, outside of that cache. It records that the file system is closed, which Hadoop
  * does not report.
  */
private[store] final class SharedFileSystem extends FilterFileSystem {

  // Hadoop may close it from any thread.
  @volatile private var open = true

  def isOpen: Boolean = open

  override def initialize(name: URI, conf: Configuration): Unit =
    fs = FileSystem.get(name, CatalogFileSystem.behind(name.getScheme, conf))

  override def close(): Unit = {
    open = false
    super.close()
  }
}
