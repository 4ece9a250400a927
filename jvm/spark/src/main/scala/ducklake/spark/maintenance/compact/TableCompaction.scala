package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** Compacts the files of one table. When another commit forbids a step, what is left is planned
  * anew.
  */
private[compact] final class TableCompaction(
    lake: SessionLake,
    listed: LakeTable,
    compaction: Compaction,
) {

  private val log = LoggerFactory.getLogger(classOf[TableCompaction])

  // Changed by the thread of the call only.
  private var finished = Vector.empty[CompactedGroup]

  /** What has been committed so far, also after an error. */
  def done: Vector[CompactedGroup] = finished

  /** Errors: CommitConflict when other commits came in between several times, or the table was
    * renamed or dropped; those of [[CompactionRound]].
    */
  def run(): Unit = rounds(TableCompaction.Rounds)

  @annotation.tailrec
  private def rounds(left: Int): Unit = {
    val base = lake.writable()
    val table = current(base)
    val config = configOf(table)
    val sofar = finished.map(_.created).sum
    new CompactionRound(lake, base, table, compaction, config, sofar, finished ++= _).run() match {
      case None => ()
      case Some(conflict) if left <= 1 => throw conflict
      case Some(conflict) =>
        log.info(
          "{} of {} is planned anew: {}",
          compaction.name,
          table.qualifiedName,
          conflict.getMessage,
        )
        rounds(left - 1)
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
  private val Rounds = 4
}
