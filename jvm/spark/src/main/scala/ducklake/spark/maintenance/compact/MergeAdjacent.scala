package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.FileGroup
import ducklake.catalog.change.MergeLimits
import ducklake.catalog.change.MergePlan
import ducklake.catalog.change.MergeSource
import ducklake.catalog.change.MergedFile
import ducklake.catalog.change.Operation
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.FileListing
import ducklake.spark.config.WriteConfig

/** Merges small files into larger files, which stand for the past too (decision 0033).
  *
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostFiles the largest number of new files for each table
  */
final case class MergeAdjacent(leastBytes: Long, belowBytes: Long, mostFiles: Long)
    extends Compaction {

  override def name: String = "merge_adjacent_files"
  override def action: String = "merge files of"
  override def keepsSnapshots: Boolean = true

  override def groups(
      base: LakeSnapshot,
      table: LakeTable,
      listing: FileListing,
      config: WriteConfig,
      done: Long,
  ): Vector[FileGroup] = {
    val limits = MergeLimits(config.targetFileSize, leastBytes, belowBytes, mostFiles - done)
    val small = listing.files.filter { file =>
      limits.admit(file.sizeBytes) && !file.hasDeletes
    }
    val deleted = base.deleteFileCounts(table, small.map(_.id)).keySet
    val whole = small.filterNot(file => deleted(file.id))
    if (whole.sizeIs < 2) Vector.empty else MergePlan.of(whole, base.shapes(table), limits)
  }

  override def operation(
      table: LakeTable,
      files: Vector[(FileGroup, Option[CompactedFile])],
      path: String => LakePath,
  ): Operation =
    Operation.MergeFiles(
      table,
      for {
        (group, written) <- files
        one <- written
        span <- one.span
      } yield MergedFile(
        group.files.map(file => MergeSource(file.id, path(file.path), file.sizeBytes)),
        group.columns,
        group.partition.map(_.id),
        one.rowIdStart,
        span,
        one.file,
      ),
    )
}
