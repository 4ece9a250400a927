package ducklake.spark.maintenance.cleanup

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.io.FileFailure
import ducklake.files.io.FolderListing
import ducklake.files.path.FileNames
import ducklake.files.path.FilePlace
import ducklake.files.path.KnownPlaces
import ducklake.files.path.PathResolver
import ducklake.files.path.PlacesBelow
import ducklake.spark.job.Broadcasts
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

import java.time.Instant

import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.control.NonFatal

/** Lists folders by Spark tasks, level by level, and finds unknown files. The driver holds the
  * folders of one level, the places of all folders and the files that are found.
  *
  * Hadoop follows symbolic links of local folders, which may lead into another lake or around in a
  * circle. A folder is searched once, and only if its place is below the data path.
  *
  * @param description of the jobs
  * @param before only files last written before this time count; None: any time
  */
private[cleanup] final class OrphanSearch(
    lake: SessionLake,
    description: String,
    known: KnownPlaces,
    before: Option[Instant],
) {
  import OrphanSearch.*

  private val own = new PlacesBelow(lake.lake.dataPath())
  private val places = FilePlace.remembering()
  private val searched = mutable.HashSet.empty[String]

  /** The paths of unknown files in these folders and all folders below, in DuckDB's spelling.
    *
    * @param folders in DuckDB's spelling, ending in a separator
    *
    * Errors: MaintenanceIncomplete when a folder cannot be listed; StatementInterrupted.
    */
  def in(folders: Vector[String]): Vector[String] =
    level(folders.map(path => Folder(path, PathResolver.hadoopPath(path))), Vector.empty)

  @tailrec
  private def level(folders: Vector[Folder], found: Vector[String]): Vector[String] =
    folders.filter(isNewAndOwn) match {
      case Vector() => found
      case some =>
        val (files, below) = listed(some)
        level(below, found ++ files)
    }

  private def isNewAndOwn(folder: Folder): Boolean =
    own.has(folder.anyFile) && searched.add(places.of(folder.anyFile))

  private def listed(folders: Vector[Folder]): (Vector[String], Vector[Folder]) = {
    val session = SparkSession.active
    val context = session.sparkContext
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val job = new LakeJob(context, s"$description: ${folders.size} folders", "listed files", conf)
    val knownPlaces = context.broadcast(known)
    val limit = before.map(_.toEpochMilli)
    val results =
      try
        ParallelJob.run(job, folders, 1) { (some, settings) =>
          some.map(folder => listOne(folder, settings, knownPlaces.value, limit)).toVector
        }
      finally Broadcasts.remove(knownPlaces)
    val (files, below) = results.unzip
    (files.flatten, below.flatten)
  }
}

private object OrphanSearch {

  /** A folder, ending in a separator. The driver resolves the path, because a relative path starts
    * at its working directory.
    *
    * @param path in DuckDB's spelling
    * @param opened in Hadoop's form
    */
  private final case class Folder(path: String, opened: String) {
    def anyFile: String = s"${path}file"

    def below(name: String): Folder = Folder(s"$path$name/", s"$opened$name/")
  }

  private def listOne(
      folder: Folder,
      conf: Configuration,
      known: KnownPlaces,
      limit: Option[Long],
  ): (Vector[String], Vector[Folder]) = {
    val listing =
      try FolderListing.of(folder.opened, conf)(FileNames.isOurs)
      catch {
        case NonFatal(cause) =>
          val why = s"folder ${folder.path} could not be listed (${FileFailure.why(cause)})"
          val error = LakeError.MaintenanceIncomplete("delete_orphaned_files", "nothing", why)
          throw new LakeException(error, Some(cause))
      }
    val orphans = listing.files
      .filter(file => limit.forall(file.modified < _))
      .map(_.name)
      .filterNot(name => known.has(folder.opened + name))
      .map(folder.path + _)
    (orphans, listing.folders.map(folder.below))
  }
}
