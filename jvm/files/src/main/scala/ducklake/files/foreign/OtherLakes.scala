package ducklake.files.foreign

import ducklake.catalog.listing.OtherLake
import ducklake.catalog.model.LakePath
import ducklake.files.io.Storage
import ducklake.files.path.FilePlace
import ducklake.files.path.PathResolver
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Finds the lake that a file belongs to by its place: below the data path of a lake of the same
  * database, or in the folder `x.files` beside a catalog file `x`, where DuckDB keeps the files of
  * lake `x` by default. Another lake owns nothing when the data path of this lake is below its own.
  *
  * @param dataPath the data path of this lake
  * @param neighbours the other lakes of the same database
  */
final class OtherLakes(
    conf: Configuration,
    dataPath: String,
    neighbours: Vector[OtherLake],
) {

  private val own = folderOf(dataPath)
  private val ownPlaces = placesOf(own)

  /** One of the files that another lake owns, with a description of that lake.
    *
    * @param files in DuckDB's spelling
    */
  def owner(files: Vector[String]): Option[(String, String)] =
    ofNeighbour(files).orElse(ofCatalogFile(files))

  /** A lake of the same database whose data path is in one of these folders, or is the data path of
    * this lake: its files cannot be distinguished from lost files of this lake.
    *
    * @param folders in DuckDB's spelling
    */
  def sharing(folders: Vector[String]): Option[OtherLake] = {
    val places = folders.map(folderOf).flatMap(placesOf)
    neighbours.find { lake =>
      val theirs = folderOf(lake.dataPath)
      ownPlaces.contains(theirs) || places.exists(theirs.startsWith)
    }
  }

  private def ofNeighbour(files: Vector[String]): Option[(String, String)] = {
    val folders = neighbours
      .map(lake => folderOf(lake.dataPath) -> lake.schema)
      .filterNot { case (folder, _) => ownPlaces.exists(_.startsWith(folder)) }
    if (folders.isEmpty) None
    else {
      val places = FilePlace.remembering()
      val owned = for {
        file <- files.iterator
        place <- placesOf(places.of(file))
        (_, schema) <- folders.find { case (folder, _) => place.startsWith(folder) }
      } yield s"the lake in schema `$schema` of the same database" -> file
      owned.nextOption()
    }
  }

  private def ofCatalogFile(files: Vector[String]): Option[(String, String)] = {
    val owned = for {
      (folder, file) <- files.groupBy(OtherLakes.parent).view.mapValues(_.head).toVector
      holder <- OtherLakes.upwards(folder)
      if holder.endsWith(OtherLakes.Suffix) && !own.startsWith(folderOf(holder))
    } yield (holder.dropRight(OtherLakes.Suffix.length), file)
    owned
      .distinctBy(_._1)
      .sorted
      .find { case (catalog, _) => isFile(catalog) }
      .map { case (catalog, file) => s"the lake of the catalog file `$catalog`" -> file }
  }

  private def folderOf(path: String): String = LakePath.folder(FilePlace.of(path))

  /** The place, and its form without a storage account, which a lake may use. */
  private def placesOf(place: String): Vector[String] =
    place +: FilePlace.withoutAccount(place).toVector

  private def isFile(catalog: String): Boolean = {
    val target = new Path(PathResolver.hadoopPath(catalog))
    val system = Storage.plain(target, conf)
    system.exists(target) && system.getFileStatus(target).isFile
  }
}

private object OtherLakes {
  private val Suffix = ".files"

  private def parent(path: String): String = path.substring(0, math.max(path.lastIndexOf('/'), 0))

  /** The folder and all its parent folders. */
  private def upwards(folder: String): Vector[String] =
    Iterator
      .iterate(folder)(parent)
      .takeWhile(path => path.nonEmpty && !path.endsWith("/"))
      .toVector
}
