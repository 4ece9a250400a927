package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.FileGroup
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.session.LakeCall
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** Compacts the files of one table. When another commit forbids some groups, what is left is planned
  * anew. A group that cannot be compacted stops no other: its files are left out of the next plan.
  */
private[compact] final class TableCompaction(
    call: LakeCall,
    listed: LakeTable,
    compaction: Compaction,
) {

  private val lake = call.lake
  private val log = LoggerFactory.getLogger(classOf[TableCompaction])

  // Changed by the thread of the call only.
  private var finished = Vector.empty[CompactedGroup]
  private var failed = Vector.empty[(FileGroup, LakeError)]

  /** What has been committed so far, also after an error. */
  def done: Vector[CompactedGroup] = finished

  /** Errors: the first error of a group, after all groups were tried; CommitConflict when other
    * commits came in between several times, or the table was renamed or dropped; those of
    * [[CompactionRound]].
    */
  def run(): Unit = {
    val conflict = rounds(TableCompaction.Rounds, None)
    failed.headOption.map { case (_, error) => new LakeException(error) }.orElse(conflict).foreach {
      cause => throw cause
    }
  }

  /** Returns the conflict that ended the last round, if one did.
    *
    * Every round that commits something gives the next ones all their tries again. Files that came
    * after the first round began are left to the next call, so that the call ends beside a writer
    * that never does.
    *
    * @param known the next file id when the first round began; None in the first round
    */
  @annotation.tailrec
  private def rounds(left: Int, known: Option[Long]): Option[LakeException] = {
    val base = lake.writable()
    val table = current(base)
    val sofar = finished.map(_.created).sum
    val before = finished.size
    val limit = known.getOrElse(Long.MaxValue)
    val excluded = failed.flatMap(_._1.files).map(_.id).toSet
    val round = new CompactionRound(
      call,
      base,
      table,
      compaction,
      configOf(table),
      file => file.value < limit && !excluded(file),
      sofar,
      finished ++= _,
    )
    val rest = round.run()
    failed ++= rest.failed
    val tries = if (finished.size > before) TableCompaction.Rounds else left
    if (rest == CompactionRound.Rest.nothing || (rest.failed.isEmpty && tries <= 1)) rest.conflict
    else {
      log.info("{} of {} is planned anew", compaction.name, table.qualifiedName)
      val fewer = if (rest.failed.isEmpty) tries - 1 else tries
      rounds(fewer, known.orElse(Some(base.snapshot.nextFileId)))
    }
  }

  private def current(base: LakeSnapshot): LakeTable =
    base.table(listed.schema.path, listed.name).filter(_.id == listed.id).getOrElse {
      val why =
        s"it wants to ${compaction.action} ${listed.qualifiedName}, which was renamed or " +
          "dropped since it began"
      throw new LakeException(LakeError.CommitConflict(why))
    }

  private def configOf(table: LakeTable): WriteConfig =
    WriteConfig.of(
      lake.lake.options(),
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
