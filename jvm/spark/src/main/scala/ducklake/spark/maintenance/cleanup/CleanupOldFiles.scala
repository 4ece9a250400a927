package ducklake.spark.maintenance.cleanup

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.ScheduledFile
import ducklake.catalog.option.ExportName
import ducklake.files.io.Undeleted
import ducklake.files.path.KnownPlaces
import ducklake.files.path.PlacesBelow
import ducklake.spark.session.SessionLake
import org.slf4j.LoggerFactory

import java.time.Duration
import java.time.Instant

/** Deletes files that are scheduled for deletion, then their rows in the catalog.
  *
  * Source: DuckDB 1.5.5, cleanup_old_files (format 9.2). Unlike DuckDB, a scheduled file that the
  * catalog still lists under any spelling is kept: the same file may be registered twice. And a
  * file outside of the data path is kept, unless the caller asks for these files: every writer of
  * the catalog can schedule any path (decision 27). Files that an exported snapshot may have are kept
  * (decision 32).
  *
  * @param takesOutside whether files outside of the data path are deleted, too
  */
final class CleanupOldFiles(lake: SessionLake, takesOutside: Boolean) {
  import CleanupOldFiles.*

  private val log = LoggerFactory.getLogger(classOf[CleanupOldFiles])

  /** The files to delete, ordered by the time when they were scheduled. Nothing is changed.
    *
    * @param before None: all scheduled files
    */
  def plan(before: Option[Instant]): Vector[ScheduledFile] = {
    val due =
      lake.lake.scheduledForDeletion().filter(file => before.forall(file.scheduled.isBefore))
    if (due.isEmpty) due
    else {
      val known = KnownPlaces.of(lake.lake.foreachFile)
      val unlisted = keeping(due, "the catalog lists them, too")(file => known.has(file.path))
      val free = oldestExport.fold(unlisted) { time =>
        val why = "an exported snapshot may have them (release_snapshot)"
        keeping(unlisted, why)(!_.scheduled.isBefore(time))
      }
      if (takesOutside) free
      else {
        val own = new PlacesBelow(lake.lake.dataPath())
        val why = "they are not below the data path, and `outside_data_path` is not true"
        keeping(free, why)(file => !own.has(file.path))
      }
    }
  }

  /** The time since when files may have been scheduled that an exported snapshot has: before a merge,
    * or before DuckDB expired it. Clocks of writers may differ.
    */
  private def oldestExport: Option[Instant] =
    lake.lake
      .namedSnapshots()
      .filter(named => ExportName.isOf(named.name))
      .map(named => lake.lake.timeOf(named.id).fold(Instant.MIN)(_.minus(ClockDifference)))
      .minOption

  /** The files that are not kept. */
  private def keeping(files: Vector[ScheduledFile], why: String)(
      isKept: ScheduledFile => Boolean
  ): Vector[ScheduledFile] = {
    val (kept, free) = files.partition(isKept)
    kept.headOption.foreach { first =>
      log.warn(
        "{} files that are scheduled for deletion are kept, because {}; the first is {}",
        kept.size,
        why,
        first.path,
      )
    }
    free
  }

  /** Deletes the files of the plan, group by group.
    *
    * Errors: MaintenanceIncomplete when a file cannot be deleted; the other files are deleted
    * nevertheless.
    */
  def run(plan: Vector[ScheduledFile]): Unit = {
    val failed = plan.grouped(FilesPerJob).toVector.flatMap { some =>
      val undeleted =
        FileDeletion.run(
          lake,
          s"cleanup_old_files of ${lake.name}",
          some.map(_.path),
        )
      val left = undeleted.map(_.path).toSet
      lake.lake.unschedule(some.filterNot(file => left.contains(file.path)))
      log.info("deleted {} files that were scheduled for deletion", some.size - left.size)
      undeleted
    }
    failed.headOption.foreach(first =>
      throw incomplete(plan.size - failed.size, failed.size, first)
    )
  }

  private def incomplete(deleted: Int, failed: Int, first: Undeleted): LakeException =
    new LakeException(
      LakeError.MaintenanceIncomplete(
        "cleanup_old_files",
        s"$deleted files deleted",
        s"$failed files could not be deleted, the first is ${first.path} (${first.why})",
      )
    )
}

private object CleanupOldFiles {

  /** How far the clocks of writers may differ. */
  val ClockDifference: Duration = Duration.ofHours(1)

  /** The number of files after which their rows are removed from the catalog. */
  val FilesPerJob: Int = 10000
}
