package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactedFile

import scala.collection.immutable.ListMap

/** A way to replace data files by fewer or smaller files with the same live rows. */
trait Compaction {

  /** The procedure's name. */
  def name: String

  /** What the compaction does to the files of a table, for messages: "merge files of". */
  def action: String

  /** Whether new files embed the snapshot of each row, so that past snapshots can also read them.
    */
  def keepsSnapshots: Boolean

  /** The largest number of groups that are committed together. What is committed stays when the call
    * is broken off.
    */
  def groupsInCommit: Int = Int.MaxValue

  /** The groups of files to replace, in the order in which they are compacted.
    *
    * @param done how many files the call has created in this table so far
    */
  def groups(
      base: LakeSnapshot,
      table: LakeTable,
      listing: FileListing,
      config: WriteConfig,
      done: Long,
  ): Vector[FileGroup]

  /** @param path of a data file, from its full path, for the catalog */
  def operation(
      table: LakeTable,
      files: Vector[(FileGroup, Option[CompactedFile])],
      path: String => LakePath,
  ): Operation
}

/** The files of a table that became one file, or none.
  *
  * @param partition of the files: keys as DESCRIBE prints them, and the stored texts; None for
  *   files without partition values
  */
final case class CompactedGroup(
    schema: String,
    table: String,
    partition: Option[ListMap[String, Option[String]]],
    processed: Long,
    created: Long,
    bytesProcessed: Long,
    bytesCreated: Long,
)

/** The result of a call for a table.
  *
  * @param conflicts how often commits of others made it plan the remaining groups again
  */
final case class CompactedTable(table: LakeTable, groups: Vector[CompactedGroup], conflicts: Int)
