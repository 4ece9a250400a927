package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeleteFileCache
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.rows.CompactionFailure
import ducklake.spark.maintenance.rows.CompactionInput
import ducklake.spark.maintenance.rows.CompactionJob
import ducklake.spark.maintenance.rows.CompactionOutput
import ducklake.spark.maintenance.rows.CompactionSpec
import ducklake.spark.maintenance.rows.LossRefusal
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.partitioning.SortColumns
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.read.ScanPlanner
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.WrittenFiles
import ducklake.spark.sparkapi.task.TaskSort
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** Compacts the files of a table at one snapshot, in steps of several groups. Each step is a
  * commit, so that finished steps stay done.
  *
  * @param files the files that may be compacted
  * @param admits whether one of these may be compacted now; other files are left alone
  * @param created how many files the call has created in this table so far
  * @param onCommitted gets the groups of each step that was committed
  */
private[compact] final class CompactionRound(
    call: MaintenanceCall,
    base: LakeSnapshot,
    table: LakeTable,
    compaction: Compaction,
    config: WriteConfig,
    files: FilesWhere,
    admits: DataFileId => Boolean,
    created: Long,
    onCommitted: Vector[CompactedGroup] => Unit,
) {
  import CompactionRound.*

  private val log = LoggerFactory.getLogger(classOf[CompactionRound])
  private val lake = call.lake
  private val session = SparkSession.active
  private val directory = PathResolver.hadoopPath(table.directory)

  /** Returns the reasons why groups were not committed. These groups can be planned again.
    *
    * Errors: errors of commits, except conflicts; StatementInterrupted.
    */
  def run(): Rest = {
    val all = base.files(table, files.request(table, lake.timeRule))
    val listing = all.copy(files = all.files.filter(file => admits(file.id)))
    val groups = compaction.groups(base, table, listing, config, created)
    val busy = math.max(LeastGroups, session.sparkContext.defaultParallelism * GroupsPerCore)
    val each = math.min(busy, compaction.groupsInCommit)
    steps(base, listing, groups.grouped(each).toVector.zipWithIndex, Rest.nothing) { number =>
      val last = math.min((number + 1) * each, groups.size)
      s"groups ${number * each + 1} to $last of ${groups.size}"
    }
  }

  /** The base of a step is the snapshot of the step before. */
  @tailrec
  private def steps(
      at: LakeSnapshot,
      listing: FileListing,
      left: Vector[(Vector[FileGroup], Int)],
      before: Rest,
  )(range: Int => String): Rest =
    left.headOption match {
      case None => before
      case Some((groups, number)) =>
        val (done, failed) = step(at, listing, groups, range(number))
        val all = Rest(before.conflict.orElse(done.conflict), before.failed ++ failed)
        done.now match {
          case None => all
          case Some(now) => steps(now, listing, left.drop(1), all)(range)
        }
    }

  /** Compacts some groups and commits the successful groups. Also returns the other groups. */
  private def step(
      base: LakeSnapshot,
      listing: FileListing,
      groups: Vector[FileGroup],
      range: String,
  ): (CompactionCommit.Result, Vector[(FileGroup, LakeError)]) = {
    var outcomes = Vector.empty[Either[CompactionFailure, CompactionOutput]]
    val inputs = groups.zipWithIndex.map { case (group, number) => input(group, number) }
    try {
      val description = s"${compaction.name} of ${table.qualifiedName}: $range"
      CompactionJob.attempt(lake, description, spec(base, listing), inputs, outcomes :+= _)
    } catch {
      case failure: Throwable =>
        WrittenFiles(inputs.flatMap(_.paths).map(directory + _)).delete(lake.config.hadoop)
        throw failure
    }
    val (failures, outputs) = outcomes.partitionMap(identity)
    val failed = failures.sortBy(_.number).map(one => groups(one.number) -> one.error)
    val ofGroups = outputs
      .sortBy(_.number)
      .map(one => CompactedPartition.corrected(table, groups(one.number) -> one.written))
    (commit(base, ofGroups), failed)
  }

  private def commit(
      base: LakeSnapshot,
      groups: Vector[CompactionCommit.Done],
  ): CompactionCommit.Result = {
    val result =
      if (groups.isEmpty) CompactionCommit.Result(Some(base), Vector.empty, None)
      else new CompactionCommit(call, table, compaction, directory).run(base, groups)
    if (result.committed.nonEmpty) note(result.committed, result.now)
    result.conflict.foreach(conflict =>
      log.info(
        "{} of {}: {} of {} groups are left: {}",
        compaction.name,
        table.qualifiedName,
        groups.size - result.committed.size,
        groups.size,
        conflict.getMessage,
      )
    )
    result
  }

  private def note(done: Vector[CompactionCommit.Done], at: Option[LakeSnapshot]): Unit = {
    onCommitted(done.map { case (group, one) =>
      CompactedGroup(
        table.schema.qualifiedName,
        table.name,
        group.partition.map(SparkTransforms.values(table, _)),
        group.files.size.toLong,
        one.size.toLong,
        group.files.map(_.sizeBytes).sum,
        one.map(_.file.sizeBytes).sum,
      )
    })
    val files = done.flatMap(_._2).map(_.file)
    log.info(
      "{} of {}: {} files ({} bytes) became {} ({} bytes) in snapshot {}",
      compaction.name,
      table.qualifiedName,
      done.map(_._1.files.size).sum,
      done.flatMap(_._1.files.map(_.sizeBytes)).sum,
      files.size,
      files.map(_.sizeBytes).sum,
      at.fold(0L)(_.snapshot.id.value),
    )
  }

  private def spec(base: LakeSnapshot, listing: FileListing): CompactionSpec =
    CompactionSpec(
      table.qualifiedName,
      directory,
      base.snapshot.id.value,
      lastDelete = DeleteFileCache.EverySnapshot,
      listing.mappings,
      lake.timeRule,
      config,
      BatchLayout.ofSession(),
      compaction.keepsSnapshots,
      LossRefusal.ofCompaction,
    )

  private def input(group: FileGroup, number: Int): CompactionInput = {
    val whole = ScanPlanner.Sizes(Long.MaxValue, 0)
    CompactionInput(
      number,
      group.files.flatMap(ScanPlanner.parts(_, table.qualifiedName, whole)),
      group.columns,
      folder(group.files.head.path),
      AttemptNames.next(FileNames.dataFile()),
      group.partition.map(CompactedPartition.inOrder),
      group.firstRowId,
      sortKeys(group.columns),
    )
  }

  /** The table's present sort order, as far as the group has its columns; also when inserted rows
    * are not sorted.
    */
  private def sortKeys(columns: Vector[Column]): Vector[(Int, SortKey)] =
    table.sort
      .flatMap(order => SortColumns.of(order.keys, columns))
      .getOrElse(Vector.empty)
      .filter { case (_, column) => TaskSort.mayOrder(SparkTypes.of(column, lake.timeRule)) }
      .map { case (key, column) => columns.indexOf(column) -> key }

  /** The folder of a file below the table's folder. DuckDB merges only files of one folder. */
  private def folder(path: String): String =
    if (path.startsWith(table.directory)) {
      val relative = path.drop(table.directory.length)
      relative.take(relative.lastIndexOf('/') + 1)
    } else ""
}

private[compact] object CompactionRound {

  /** The groups that a round has not compacted.
    *
    * @param conflict the first conflict that kept groups from being committed
    * @param failed the groups that could not be compacted, each with the reason
    */
  final case class Rest(
      conflict: Option[LakeException],
      failed: Vector[(FileGroup, LakeError)],
  )

  object Rest {
    val nothing: Rest = Rest(None, Vector.empty)
  }

  private val LeastGroups = 64
  private val GroupsPerCore = 8
}
