package ducklake.files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path

/** Hadoop's file systems, as we use them. */
object Storage {

  /** Deletes a file that is in no snapshot; one that is not there counts as deleted.
    *
    * @param path as Hadoop opens it
    */
  def delete(path: String, conf: Configuration): Unit = {
    val target = new Path(path)
    plain(target, conf).delete(target, false): Unit
  }

  private[files] def plain(path: Path, conf: Configuration): FileSystem =
    path.getFileSystem(conf) match {
      case checked: ChecksumFileSystem => checked.getRawFileSystem
      case other => other
    }
}
