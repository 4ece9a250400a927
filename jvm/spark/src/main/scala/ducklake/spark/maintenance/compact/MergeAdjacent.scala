package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.FileMergeSource
import ducklake.catalog.change.operation.MergedFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.change.plan.FileMergeLimits
import ducklake.catalog.change.plan.FileMergePlan
import ducklake.catalog.change.plan.MergeOrder
import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactedFile

/** Limits on the files that a merge takes, and on the number of new files.
  *
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostFiles the largest number of new files for each table
  * @param order which files are taken when there are more
  */
final case class MergeSizes(
    leastBytes: Long,
    belowBytes: Long,
    mostFiles: Long,
    order: MergeOrder = MergeOrder.OldestFirst,
) {

  /** @param done how many files the call has created in the table so far */
  private[compact] def limits(config: WriteConfig, done: Long): FileMergeLimits =
    FileMergeLimits(config.targetFileSize, leastBytes, belowBytes, mostFiles - done, order)
}

/** Merges small files into larger files, which past snapshots read too (decision 14). */
final case class MergeAdjacent(
    sizes: MergeSizes,
    override val groupsInCommit: Int = Int.MaxValue,
) extends Compaction {

  override def name: String = MergeAdjacent.Name
  override def action: String = MergeAdjacent.Action
  override def keepsSnapshots: Boolean = true

  override def groups(
      base: LakeSnapshot,
      table: LakeTable,
      listing: FileListing,
      config: WriteConfig,
      done: Long,
  ): Vector[FileGroup] = {
    val limits = sizes.limits(config, done)
    val small = listing.files.filter(file => limits.admit(file.sizeBytes))
    val whole = small.filter(MergeAdjacent.whole(base, table, small))
    if (whole.sizeIs < 2) Vector.empty else FileMergePlan.of(whole, base.shapes(table), limits)
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
        group.files.map(file => FileMergeSource(file.id, path(file.path), file.sizeBytes)),
        group.columns,
        group.partition.map(_.id),
        one.rowIdStart,
        span,
        one.file,
      ),
    )
}

private[spark] object MergeAdjacent {
  val Name = "merge_adjacent_files"
  val Action = "merge files of"

  /** A test that is true for those of these files that never had a delete. Past snapshots need the
    * other files with their delete files, so a file of several snapshots cannot replace them.
    */
  def whole(base: LakeSnapshot, table: LakeTable, files: Vector[DataFile]): DataFile => Boolean = {
    val clean = files.filterNot(_.hasDeletes).map(_.id)
    val cleanNow = clean.toSet
    val deleted = base.deleteFileCounts(table, clean).keySet
    file => cleanNow(file.id) && !deleted(file.id)
  }
}
