package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.session.MaintenanceCall
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** Compacts the files of one table of a call. Groups that conflict with another commit are planned
  * again. A group that fails does not stop the others: its files are left out of the next plan.
  *
  * @param passes the compactions, one after another; a pass sees the new files of earlier passes
  * @param files the files that may be compacted
  */
private[compact] final class TableCompaction(
    call: MaintenanceCall,
    tables: MaintainedTables,
    listed: LakeTable,
    passes: Vector[Compaction],
    files: FilesWhere,
) {

  private val lake = call.lake
  private val log = LoggerFactory.getLogger(classOf[TableCompaction])

  // Changed by the thread of the call only.
  private var finished = Vector.empty[CompactedGroup]
  private var failed = Vector.empty[(FileGroup, LakeError)]
  private var conflicts = 0

  /** The groups that were committed, also after an error. */
  def done: CompactedTable = CompactedTable(listed, finished, conflicts)

  /** Stops without an error when the table no longer exists and the caller did not name it.
    *
    * Errors: the first error of a group, after all groups were tried; CommitConflict when other
    * commits came in between several times, or a named table was dropped; the errors of
    * [[CompactionRound]].
    */
  def run(): Unit = {
    val lost = passes.flatMap(rounds(_, TableCompaction.Rounds, None))
    failed.headOption
      .map { case (_, error) => new LakeException(error) }
      .orElse(lost.headOption)
      .foreach(cause => throw cause)
  }

  /** Returns the conflict that ended the last round, if one did.
    *
    * After every round that commits something, the number of tries starts again. Files that were
    * added after the first round began are left to the next call, so that the call ends even while
    * another writer goes on.
    *
    * @param known the next file id when the first round began; None in the first round
    */
  @annotation.tailrec
  private def rounds(
      compaction: Compaction,
      left: Int,
      known: Option[Long],
  ): Option[LakeException] = {
    val base = lake.prepareToWrite()
    val before = finished.size
    val rest = tables
      .current(base, listed, compaction.action)
      .fold(CompactionRound.Rest.nothing) { table =>
        round(compaction, base, table, known.getOrElse(Long.MaxValue))
      }
    failed ++= rest.failed
    conflicts += rest.conflict.size
    val tries = if (finished.size > before) TableCompaction.Rounds else left
    if (rest == CompactionRound.Rest.nothing || (rest.failed.isEmpty && tries <= 1)) rest.conflict
    else {
      log.info("{} of {} is planned anew", compaction.name, listed.qualifiedName)
      val fewer = if (rest.failed.isEmpty) tries - 1 else tries
      rounds(compaction, fewer, known.orElse(Some(base.snapshot.nextFileId)))
    }
  }

  /** @param limit files with this id or a higher one are left alone */
  private def round(
      compaction: Compaction,
      base: LakeSnapshot,
      table: LakeTable,
      limit: Long,
  ): CompactionRound.Rest = {
    val excluded = failed.flatMap(_._1.files).map(_.id).toSet
    new CompactionRound(
      call,
      base,
      table,
      compaction,
      configOf(table),
      files,
      file => file.value < limit && !excluded(file),
      finished.map(_.created).sum,
      finished ++= _,
    ).run()
  }

  private def configOf(table: LakeTable): WriteConfig =
    WriteConfig.of(
      lake.options(),
      table.schema.id,
      Some(table.id),
      Map.empty,
      CaseInsensitiveStringMap.empty(),
    )
}

private object TableCompaction {

  /** Rounds in a row that may commit nothing. */
  private val Rounds = 4
}
