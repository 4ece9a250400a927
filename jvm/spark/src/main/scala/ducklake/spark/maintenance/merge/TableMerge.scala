package ducklake.spark.maintenance.merge

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.MergeLimits
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** Merges the files of one table. When another commit forbids a step, what is left is planned anew. */
private[merge] final class TableMerge(lake: SessionLake, listed: LakeTable, wanted: MergeRequest) {

  private val log = LoggerFactory.getLogger(classOf[TableMerge])

  // Changed by the thread of the call only.
  private var finished = Vector.empty[MergedGroup]

  /** What has been committed so far, also after an error. */
  def done: Vector[MergedGroup] = finished

  /** Errors: CommitConflict when other commits came in between several times, or the table was
    * renamed or dropped; those of [[MergeRound]].
    */
  def run(): Unit = rounds(TableMerge.Rounds)

  @annotation.tailrec
  private def rounds(left: Int): Unit = {
    val base = lake.writable()
    val table = current(base)
    val config = configOf(table)
    val limits = MergeLimits(
      config.targetFileSize,
      wanted.leastBytes,
      wanted.belowBytes,
      wanted.mostFiles - finished.size,
    )
    new MergeRound(lake, base, table, limits, config, finished ++= _).run() match {
      case None => ()
      case Some(conflict) if left <= 1 => throw conflict
      case Some(conflict) =>
        log.info("Merging {} is planned anew: {}", table.qualifiedName, conflict.getMessage)
        rounds(left - 1)
    }
  }

  private def current(base: LakeSnapshot): LakeTable =
    base.table(listed.schema.name, listed.name).filter(_.id == listed.id).getOrElse {
      val why =
        s"it wants to merge files of ${listed.qualifiedName}, which was renamed or dropped " +
          "since it began"
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

private object TableMerge {
  private val Rounds = 4
}
