package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RewriteSource
import ducklake.catalog.change.operation.RewrittenFiles
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.change.plan.RewritePlan
import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactedFile

/** Rewrites files with many deleted rows, without these rows (decision 15).
  *
  * @param leastDeleted the share of deleted rows from which on a file is rewritten; None: the
  *   option of the table decides
  */
final case class RewriteDeletes(leastDeleted: Option[Double]) extends Compaction {

  override def name: String = "rewrite_data_files"
  override def action: String = "rewrite files of"
  override def keepsSnapshots: Boolean = false

  override def groups(
      base: LakeSnapshot,
      table: LakeTable,
      listing: FileListing,
      config: WriteConfig,
      done: Long,
  ): Vector[FileGroup] = {
    val deleted = listing.files.filter(_.hasDeletes)
    val share = leastDeleted.getOrElse(config.rewriteDeleteThreshold)
    if (deleted.isEmpty) Vector.empty
    else RewritePlan.of(deleted, base.shapes(table), share, config.targetFileSize)
  }

  override def operation(
      table: LakeTable,
      files: Vector[(FileGroup, Option[CompactedFile])],
      path: String => LakePath,
  ): Operation = RewriteDeletes.operation(table, files)
}

private[spark] object RewriteDeletes {

  /** Replaces the files of each group by the new file, as of the commit. Past snapshots read the
    * old files.
    */
  def operation(
      table: LakeTable,
      files: Vector[(FileGroup, Option[CompactedFile])],
  ): Operation =
    Operation.RewriteFiles(
      table,
      files.map { case (group, written) =>
        val sources = group.files.map { file =>
          RewriteSource(
            file.id,
            file.deleteFiles.map(_.id),
            file.inlinedDeletes.size.toLong,
            file.sizeBytes,
          )
        }
        RewrittenFiles(sources, group.columns, group.partition.map(_.id), written.map(_.file))
      },
    )
}
