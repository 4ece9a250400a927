package ducklake.spark.maintenance.merge

import ducklake.catalog.change.OptionRules
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.LakeOption
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Which files of a table are merged.
  *
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostFiles the largest number of new files for each table
  */
final case class MergeRequest(leastBytes: Long, belowBytes: Long, mostFiles: Long)

/** Files that became one. */
final case class MergedGroup(schema: String, table: String, processed: Long, created: Long)

/** Merges small files of tables into larger files. Each table has commits of its own, so that a
  * failure of one table stops no other (decision 0033).
  */
final class MergeAdjacent(lake: SessionLake) {
  private val log = LoggerFactory.getLogger(classOf[MergeAdjacent])
  private val options = lake.lake.options()

  /** Merges files of the tables. Tables with the option `auto_compact` set to false are left as they
    * are, as by DuckDB.
    *
    * Errors: those of a table when nothing was done before; else MaintenanceIncomplete, after all
    * tables were tried.
    */
  def run(tables: Vector[LakeTable], wanted: MergeRequest): Vector[MergedGroup] = {
    val chosen = tables.filter(compactsByItself).sortBy(table => (table.schema.name, table.name))
    val tried = chosen.map(attempt(_, wanted))
    val done = tried.flatMap(_._1)
    tried.flatMap(_._2).headOption.foreach { case (table, cause) =>
      throw (if (done.isEmpty && chosen.sizeIs == 1) cause else incomplete(done, table, cause))
    }
    done
  }

  private def attempt(
      table: LakeTable,
      wanted: MergeRequest,
  ): (Vector[MergedGroup], Option[(LakeTable, LakeException)]) = {
    val merge = new TableMerge(lake, table, wanted)
    try {
      merge.run()
      (merge.done, None)
    } catch {
      case NonFatal(failure) =>
        val cause = SparkErrors.behind(failure).getOrElse(throw failure)
        log.warn("{} is not merged: {}", table.qualifiedName, cause.getMessage)
        (merge.done, Some(table -> cause))
    }
  }

  private def incomplete(
      done: Vector[MergedGroup],
      table: LakeTable,
      cause: LakeException,
  ): LakeException = {
    val files = done
      .groupMapReduce(group => s"${group.schema}.${group.table}")(_.processed)(_ + _)
      .toVector
      .sorted
      .map { case (name, count) => s"$count files of $name" }
    val merged = if (files.isEmpty) "nothing" else files.mkString(", ")
    new LakeException(
      LakeError.MaintenanceIncomplete(
        "merge_adjacent_files",
        merged,
        s"${table.qualifiedName} failed: ${cause.getMessage}",
      ),
      Some(cause),
    )
  }

  private def compactsByItself(table: LakeTable): Boolean =
    !LakeOption
      .inForce(options, OptionRules.AutoCompact.key, table.schema.id, Some(table.id))
      .exists(_.equalsIgnoreCase("false"))
}
