package ducklake.spark.moving.history

import ducklake.files.io.FileFailure
import ducklake.files.path.PathResolver
import ducklake.spark.moving.EarlierDeletes
import ducklake.spark.moving.ReturnedRows
import ducklake.spark.moving.SourceFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import java.io.FileNotFoundException

/** Looks at the files of a source. Each folder is listed once.
  *
  * @param table for messages
  */
private[moving] final class SourceLooks(table: String, conf: Configuration) extends HistoryLooks {

  private val folders = scala.collection.mutable.HashMap.empty[Path, Set[String]]

  /** Errors: the errors of [[FileFailure.naming]]. */
  override def isThere(file: String): Boolean = {
    val path = new Path(PathResolver.hadoopPath(file))
    folders.getOrElseUpdate(path.getParent, names(path.getParent))(path.getName)
  }

  /** Errors: those of [[ReturnedRows]]. */
  override def returned(versions: Vector[(SourceFile, SourceFile)]): Vector[Boolean] =
    new ReturnedRows(table, conf).among(versions.map { case (before, now) =>
      (EarlierDeletes.OfSource(before), now)
    })

  private def names(folder: Path): Set[String] =
    FileFailure.naming(folder.toString, table) {
      try folder.getFileSystem(conf).listStatus(folder).map(_.getPath.getName).toSet
      catch { case _: FileNotFoundException => Set.empty }
    }
}
