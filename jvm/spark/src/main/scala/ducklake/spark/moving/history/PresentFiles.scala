package ducklake.spark.moving.history

import ducklake.files.io.FileFailure
import ducklake.files.path.PathResolver
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import java.io.FileNotFoundException

/** Which files of a source are still there. Each folder is listed once.
  *
  * @param table for messages
  */
private[moving] final class PresentFiles(table: String, conf: Configuration) {

  private val folders = scala.collection.mutable.HashMap.empty[Path, Set[String]]

  /** Errors: the errors of [[FileFailure.naming]]. */
  def has(file: String): Boolean = {
    val path = new Path(PathResolver.hadoopPath(file))
    folders.getOrElseUpdate(path.getParent, names(path.getParent))(path.getName)
  }

  private def names(folder: Path): Set[String] =
    FileFailure.naming(folder.toString, table) {
      try folder.getFileSystem(conf).listStatus(folder).map(_.getPath.getName).toSet
      catch { case _: FileNotFoundException => Set.empty }
    }
}
