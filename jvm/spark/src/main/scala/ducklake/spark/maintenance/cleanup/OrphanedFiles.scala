package ducklake.spark.maintenance.cleanup

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.foreign.OtherLakes
import ducklake.files.path.KnownPlaces
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.HeldTransaction
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

import java.time.Instant

/** Deletes files of the lake that the catalog does not list: files of killed writers. Those of open
  * transactions of this process stay.
  *
  * Only folders of the lake's schemas are searched, and only files with names of DuckDB's or our
  * form are deleted, so that a lake below the data path of another lake keeps its files. Source:
  * DuckDB 1.5.5, delete_orphaned_files (format 9.3), which takes all Parquet files below the data
  * path; ours, decision 13.
  */
final class OrphanedFiles(lake: SessionLake) {
  private val log = LoggerFactory.getLogger(classOf[OrphanedFiles])

  /** The paths of the files to delete, ordered. Nothing is changed.
    *
    * The files in the catalog are read again after the listing, because others may have committed
    * in between.
    *
    * @param before only files last written before this time count; None: any time
    *
    * Errors: SharedFolder when another lake of the same database has its files in the same folders;
    * MaintenanceIncomplete when a folder cannot be listed.
    */
  def plan(before: Option[Instant]): Vector[String] = {
    val description = s"delete_orphaned_files of ${lake.name}"
    val folders = lake.lake.schemaFolders()
    refuseShared(folders)
    val search = new OrphanSearch(lake, description, knownPlaces(), before)
    val found = search.in(folders)
    if (found.isEmpty) found
    else {
      val known = knownPlaces()
      found.filterNot(known.has).sorted
    }
  }

  /** Deletes the files of the plan.
    *
    * Errors: MaintenanceIncomplete when a file cannot be deleted; the other files are deleted
    * nevertheless.
    */
  def run(plan: Vector[String]): Unit =
    if (plan.nonEmpty) {
      val description = s"delete_orphaned_files of ${lake.name}"
      val failed = FileDeletion.run(lake, description, plan)
      log.info("deleted {} files that the catalog does not know", plan.size - failed.size)
      failed.headOption.foreach { first =>
        throw new LakeException(
          LakeError.MaintenanceIncomplete(
            "delete_orphaned_files",
            s"${plan.size - failed.size} files deleted",
            s"${failed.size} files could not be deleted, the first is ${first.path} (${first.why})",
          )
        )
      }
    }

  private def refuseShared(folders: Vector[String]): Unit = {
    val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)
    new OtherLakes(conf, lake.lake.dataPath(), lake.lake.otherLakes())
      .sharing(folders)
      .foreach { other =>
        val error = LakeError.SharedFolder(lake.lake.dataPath(), other.schema, other.dataPath)
        throw new LakeException(error)
      }
  }

  /** Each may move to what is asked after it: a commit moves the files of a transaction to the
    * catalog, and an expiry moves those to the scheduled files.
    */
  private def knownPlaces(): KnownPlaces =
    KnownPlaces.of { add =>
      HeldTransaction.written.foreach(add)
      lake.lake.foreachFile(add)
      lake.lake.foreachScheduled(add)
    }
}
