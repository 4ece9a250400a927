package ducklake.files

import ducklake.catalog.model.LakePath
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Finds the lake that a file belongs to by its place: DuckDB keeps the files of the catalog file
  * `x` in the folder `x.files` beside it, unless told otherwise.
  *
  * @param dataPath the data path of this lake
  */
final class OtherLakes(paths: PathResolver, conf: Configuration, dataPath: String) {

  private val own = LakePath.folder(FilePlace.of(dataPath))

  /** The catalog file of the lake that owns one of the files, with that file.
    *
    * @param files in DuckDB's spelling
    */
  def owner(files: Vector[String]): Option[(String, String)] = {
    val owned = for {
      (folder, file) <- files.groupBy(OtherLakes.parent).view.mapValues(_.head).toVector
      holder <- OtherLakes.upwards(folder)
      if holder.endsWith(OtherLakes.Suffix) && !own.startsWith(
        LakePath.folder(FilePlace.of(holder))
      )
    } yield (holder.dropRight(OtherLakes.Suffix.length), file)
    owned.distinctBy(_._1).sorted.find { case (catalog, _) => isFile(catalog) }
  }

  private def isFile(catalog: String): Boolean = {
    val target = new Path(paths.hadoopPath(catalog))
    val system = Storage.plain(target, conf)
    system.exists(target) && system.getFileStatus(target).isFile
  }
}

private object OtherLakes {
  private val Suffix = ".files"

  private def parent(path: String): String = path.substring(0, math.max(path.lastIndexOf('/'), 0))

  /** The folder and all folders that it is in. */
  private def upwards(folder: String): Vector[String] =
    Iterator
      .iterate(folder)(parent)
      .takeWhile(path => path.nonEmpty && !path.endsWith("/"))
      .toVector
}
