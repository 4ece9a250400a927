package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.DeleteFileId
import ducklake.spark.maintenance.Conflict
import ducklake.spark.maintenance.rows.CompactedFile
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.WrittenFiles

import scala.annotation.tailrec

/** Commits the new files of some groups. When another commit has changed sources of some groups,
  * the other groups are committed nevertheless, and the new files of the conflicting groups are
  * deleted.
  *
  * @param directory of the table, as Hadoop opens it
  */
private[compact] final class CompactionCommit(
    call: MaintenanceCall,
    table: LakeTable,
    compaction: Compaction,
    directory: String,
) {
  import CompactionCommit.*

  private val lake = call.lake

  /** Errors: errors of commits, except conflicts. */
  def run(base: LakeSnapshot, groups: Vector[Done]): Result = run(base, groups, None, Attempts)

  @tailrec
  private def run(
      base: LakeSnapshot,
      groups: Vector[Done],
      lost: Option[LakeException],
      left: Int,
  ): Result = {
    val path = LakePath.below(lake.lake.dataPath(), _)
    val operation = compaction.operation(table, groups, path)
    call.commit(base, Vector(operation)) match {
      case Conflict(conflict) =>
        remaining(groups) match {
          case Remaining(None, _) => Result(None, Vector.empty, Some(conflict))
          case Remaining(Some(now), same) if same.isEmpty || left <= 1 =>
            discard(same)
            Result(Some(now), Vector.empty, Some(conflict))
          case Remaining(Some(now), same) =>
            val isLess = same.sizeIs < groups.size
            run(now, same, if (isLess) Some(conflict) else lost, left - 1)
        }
      case outcome =>
        outcome.ifNoSnapshot(discard(groups))
        Result(Some(base.after(outcome.orThrow)), groups, lost)
    }
  }

  /** The groups whose sources are unchanged; the new files of the other groups are deleted. When
    * the table has changed, there is no snapshot and no group remains.
    */
  private def remaining(groups: Vector[Done]): Remaining =
    try {
      val now = lake.prepareToWrite()
      if (!now.table(table.schema.path, table.name).contains(table)) {
        discard(groups)
        Remaining(None, Vector.empty)
      } else {
        val sources = groups.flatMap(_._1.files)
        val present = now.filesById(table, sources.map(_.id)).map(file => file.id -> file).toMap
        def isSame(file: DataFile) = present.get(file.id).exists(deletesOf(_) == deletesOf(file))
        val (same, changed) = groups.partition(_._1.files.forall(isSame))
        discard(changed)
        Remaining(Some(now), same)
      }
    } catch {
      case failure: Throwable =>
        discard(groups)
        throw failure
    }

  private def discard(groups: Vector[Done]): Unit = {
    val files = groups.flatMap(_._2).map(_.file)
    if (files.nonEmpty) WrittenFiles(files.map(directory + _.path)).delete(lake.config.hadoop)
  }
}

private[compact] object CompactionCommit {

  /** A group and its new file; none when all its rows are deleted. */
  type Done = (FileGroup, Option[CompactedFile])

  /** @param now the newest snapshot known; None when the table has changed
    * @param committed the groups that were committed
    * @param conflict why the other groups were not committed
    */
  final case class Result(
      now: Option[LakeSnapshot],
      committed: Vector[Done],
      conflict: Option[LakeException],
  )

  private final case class Remaining(now: Option[LakeSnapshot], groups: Vector[Done])

  /** The most attempts to commit the groups of a step, each with fewer groups. */
  private val Attempts = 4

  private def deletesOf(file: DataFile): (Vector[DeleteFileId], IndexedSeq[Long]) =
    (file.deleteFiles.map(_.id), file.inlinedDeletes)
}
