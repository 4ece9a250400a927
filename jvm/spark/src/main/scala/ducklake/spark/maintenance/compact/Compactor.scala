package ducklake.spark.maintenance.compact

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.errors.PartFailure
import ducklake.spark.maintenance.AutoCompact
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.session.MaintenanceCall
import org.slf4j.LoggerFactory

/** Compacts the files of tables. Each table has its own commits, so that a failure of one table
  * does not stop the others (decision 14).
  *
  * @param name of the procedure
  * @param passes the compactions of each table, one after another
  * @param files the files that may be compacted
  */
final class Compactor(
    call: MaintenanceCall,
    name: String,
    passes: Vector[Compaction],
    files: FilesWhere,
) {
  private val log = LoggerFactory.getLogger(classOf[Compactor])
  private val upkeep = AutoCompact.of(call.lake)

  /** Tables with the option `auto_compact` set to false are skipped, as in DuckDB.
    *
    * Errors: the errors of a table when nothing was done before; else MaintenanceIncomplete, after
    * all tables were tried. An interrupt and a cancelled job end the call at once.
    */
  def run(tables: MaintainedTables): Vector[CompactedTable] = {
    val chosen = tables.listed
      .filter(upkeep.takes)
      .sortBy(table => (table.schema.qualifiedName, table.name))
    val tried = chosen.map(attempt(tables, _))
    val done = tried.map(_._1)
    tried.flatMap(_._2).headOption.foreach { case (table, cause) =>
      val groups = done.flatMap(_.groups)
      throw (if (groups.isEmpty && chosen.sizeIs == 1) cause else incomplete(groups, table, cause))
    }
    done
  }

  private def attempt(
      tables: MaintainedTables,
      table: LakeTable,
  ): (CompactedTable, Option[(LakeTable, Throwable)]) = {
    val one = new TableCompaction(call, tables, table, passes, files)
    try {
      one.run()
      (one.done, None)
    } catch {
      case PartFailure(cause) =>
        log.warn("{} of {} failed: {}", name, table.qualifiedName, cause.getMessage)
        (one.done, Some(table -> cause))
    }
  }

  private def incomplete(
      done: Vector[CompactedGroup],
      table: LakeTable,
      cause: Throwable,
  ): LakeException = {
    val files = done
      .groupMapReduce(group => s"${group.schema}.${group.table}")(_.processed)(_ + _)
      .toVector
      .sorted
      .map { case (name, count) => s"$count files of $name" }
    val compacted = if (files.isEmpty) "nothing" else files.mkString(", ")
    new LakeException(
      LakeError.MaintenanceIncomplete(
        name,
        compacted,
        s"${table.qualifiedName} failed: ${cause.getMessage}",
      ),
      Some(cause),
    )
  }
}
