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

/** Deletes files that are scheduled for deletion, then their rows in the catalog. It works group by
  * group, so a lake may have millions of these files.
  *
  * Source: DuckDB 1.5.5, cleanup_old_files (format 9.2). Unlike DuckDB, a scheduled file that the
  * catalog still lists under any spelling is kept: the same file may be registered twice. And a
  * file outside of the data path is kept, unless the caller asks for these files: every writer of
  * the catalog can schedule any path (decision 27). Files that an exported snapshot may have are kept
  * (decision 32).
  *
  * @param before files that were scheduled before; None: all scheduled files
  * @param takesOutside whether files outside of the data path are deleted, too
  */
final class CleanupOldFiles(lake: SessionLake, before: Option[Instant], takesOutside: Boolean) {
  import CleanupOldFiles.*

  private val log = LoggerFactory.getLogger(classOf[CleanupOldFiles])

  /** The files that [[run]] would delete, no more than it shows. Nothing is changed. */
  def plan(): Vector[String] = {
    val kept = new KeptFiles
    val found = groups(kept).flatten.map(_.path).take(MostShown).toVector
    report(kept)
    found
  }

  /** Deletes the files.
    *
    * Errors: MaintenanceIncomplete when a file cannot be deleted; the other files are deleted
    * nevertheless.
    */
  def run(): CleanedFiles = {
    val kept = new KeptFiles
    val done =
      groups(kept).foldLeft(Progress.none)((before, some) => before.and(some, delete(some)))
    report(kept)
    done.firstFailed.foreach(first => throw incomplete(done, first))
    CleanedFiles(done.deleted, done.shown)
  }

  /** The files to delete, in groups, each ordered by the time when the files were scheduled. */
  private def groups(kept: KeptFiles): Iterator[Vector[ScheduledFile]] = {
    lazy val known = KnownPlaces.of(lake.lake.foreachFile)
    lazy val own = new PlacesBelow(lake.lake.dataPath())
    lake.lake.scheduledForDeletion(before).grouped(FilesPerJob).map { some =>
      val exported = oldestExport
      def whyKept(file: ScheduledFile): Option[String] =
        if (known.has(file.path)) Some(IsListed)
        else if (exported.exists(!file.scheduled.isBefore(_))) Some(IsExported)
        else if (!takesOutside && !own.has(file.path)) Some(IsOutside)
        else None
      some.toVector
        .sortBy(file => (file.scheduled, file.path))
        .filter(file => whyKept(file).fold(true)(kept.add(_, file.path)))
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

  private def report(kept: KeptFiles): Unit =
    kept.all.foreach { case (why, (count, first)) =>
      log.warn(
        "{} files that are scheduled for deletion are kept, because {}; the first is {}",
        count,
        why,
        first,
      )
    }

  /** Deletes the files of a group. Returns those that could not be deleted. */
  private def delete(some: Vector[ScheduledFile]): Vector[Undeleted] =
    if (some.isEmpty) Vector.empty
    else {
      val undeleted =
        FileDeletion.run(lake, s"cleanup_old_files of ${lake.name}", some.map(_.path))
      val left = undeleted.map(_.path).toSet
      lake.lake.unschedule(some.filterNot(file => left.contains(file.path)))
      log.info("deleted {} files that were scheduled for deletion", some.size - left.size)
      undeleted
    }

  private def incomplete(done: Progress, first: Undeleted): LakeException =
    new LakeException(
      LakeError.MaintenanceIncomplete(
        "cleanup_old_files",
        s"${done.deleted} files deleted",
        s"${done.failed} files could not be deleted, the first is ${first.path} (${first.why})",
      )
    )
}

/** What a cleanup deleted.
  *
  * @param shown the paths of the first [[CleanupOldFiles.MostShown]] files
  */
final case class CleanedFiles(count: Long, shown: Vector[String])

object CleanupOldFiles {

  /** The number of paths that a cleanup shows at most. */
  val MostShown: Int = 10000

  /** How far the clocks of writers may differ. */
  private val ClockDifference: Duration = Duration.ofHours(1)

  /** The number of files after which their rows are removed from the catalog. */
  private val FilesPerJob: Int = 10000

  private val IsListed = "the catalog lists them, too"
  private val IsExported = "an exported snapshot may have them (release_snapshot)"
  private val IsOutside = "they are not below the data path, and `outside_data_path` is not true"

  /** How many files are kept for each reason, and the first of them. Mutable, for one thread. */
  private final class KeptFiles {
    private var found = Map.empty[String, (Long, String)]

    def all: Map[String, (Long, String)] = found

    /** Returns false: the file is not deleted. */
    def add(why: String, path: String): Boolean = {
      val (count, first) = found.getOrElse(why, (0L, path))
      found = found.updated(why, (count + 1, first))
      false
    }
  }

  private final case class Progress(
      deleted: Long,
      failed: Long,
      firstFailed: Option[Undeleted],
      shown: Vector[String],
  ) {
    def and(some: Vector[ScheduledFile], undeleted: Vector[Undeleted]): Progress = Progress(
      deleted + some.size - undeleted.size,
      failed + undeleted.size,
      firstFailed.orElse(undeleted.headOption),
      shown ++ some.iterator.map(_.path).take(MostShown - shown.size),
    )
  }

  private object Progress {
    val none: Progress = Progress(0L, 0L, None, Vector.empty)
  }
}
