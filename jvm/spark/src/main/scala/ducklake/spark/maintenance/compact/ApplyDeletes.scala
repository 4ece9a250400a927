package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.change.plan.FileMergePlan
import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactedFile

/** Writes small files with deleted rows to new files without these rows, as a rewrite does. Later
  * merges take the new files; they take no file that ever had deletes (decision 15).
  *
  * @param sizes which files are small, and the largest number of new files
  */
final case class ApplyDeletes(sizes: MergeSizes) extends Compaction {

  override def name: String = MergeAdjacent.Name
  override def action: String = MergeAdjacent.Action
  override def keepsSnapshots: Boolean = false

  override def groups(
      base: LakeSnapshot,
      table: LakeTable,
      listing: FileListing,
      config: WriteConfig,
      done: Long,
  ): Vector[FileGroup] = {
    val limits = sizes.limits(config, done)
    val small = listing.files.filter(file => limits.admit(file.sizeBytes))
    val isWhole = MergeAdjacent.whole(base, table, small)
    if (small.forall(isWhole)) Vector.empty
    else FileMergePlan.withDeletes(small, base.shapes(table), limits, isWhole)
  }

  override def operation(
      table: LakeTable,
      files: Vector[(FileGroup, Option[CompactedFile])],
      path: String => LakePath,
  ): Operation = RewriteDeletes.operation(table, files)
}
