package ducklake.spark.maintenance

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.PartFailure
import ducklake.spark.session.MaintenanceCall
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** A table whose statistics have changed.
  *
  * @param snapshot the snapshot with the new statistics
  */
final case class RecomputedTable(schema: String, table: String, snapshot: SnapshotId)

/** Recomputes the statistics of tables from the statistics of their files and from their inlined
  * rows. Other commits never narrow a table's statistics, so they keep the bounds of rows that were
  * deleted long ago (decision 26).
  */
final class StatisticsRecomputation(call: MaintenanceCall) {
  import StatisticsRecomputation.*

  private val lake = call.lake
  private val log = LoggerFactory.getLogger(classOf[StatisticsRecomputation])

  /** Returns the tables whose statistics have changed, in the order of the tables.
    *
    * Errors: CommitConflict when others changed the columns of a table again and again, or dropped
    * a table that the caller named; errors of a commit; MaintenanceIncomplete instead of any of them
    * when earlier tables have new statistics.
    */
  def run(tables: MaintainedTables): Vector[RecomputedTable] =
    tables.listed
      .sortBy(table => (table.schema.qualifiedName, table.name))
      .foldLeft(Vector.empty[RecomputedTable]) { (done, table) =>
        try done ++ rounds(tables, table, Rounds)
        catch { case PartFailure(cause) if done.nonEmpty => throw incomplete(done, table, cause) }
      }

  private def incomplete(done: Vector[RecomputedTable], table: LakeTable, cause: Throwable) = {
    val names = done.map(one => s"${one.schema}.${one.table}").mkString(", ")
    val why = s"of ${table.qualifiedName}: ${cause.getMessage}"
    new LakeException(
      LakeError.MaintenanceIncomplete("recompute_statistics", names, why),
      Some(cause),
    )
  }

  /** The tables whose statistics and files differ in the number of rows: first tables with so few
    * file statistics that each checkpoint may read them, then the other tables.
    */
  def outdated(
      base: LakeSnapshot,
      tables: MaintainedTables,
  ): (Vector[LakeTable], Vector[LakeTable]) = {
    val recorded = base.recordedRows().map(row => row.table -> row).toMap
    tables.listed
      .filter(table => recorded.get(table.id).exists(row => !row.recorded.contains(row.live)))
      .partition { table =>
        recorded(table.id).files * LeafColumns.of(table.columns).size <= CheapStatistics
      }
  }

  @tailrec
  private def rounds(
      tables: MaintainedTables,
      table: LakeTable,
      left: Int,
  ): Option[RecomputedTable] = {
    val base = lake.prepareToWrite()
    tables.current(base, table, "compute the statistics of") match {
      case None => None
      case Some(now) =>
        call.commit(base, Vector(Operation.RecomputeStatistics(now, base.keptBounds(now)))) match {
          case Conflict(conflict) if left <= 1 => throw conflict
          case Conflict(conflict) =>
            log.info("{} is tried anew: {}", table.qualifiedName, conflict.getMessage)
            rounds(tables, table, left - 1)
          case CommitOutcome.Committed(snapshot) =>
            log.info(
              "recompute_statistics of {}: bounds have changed in snapshot {}",
              now.qualifiedName,
              snapshot.id.value,
            )
            Some(RecomputedTable(now.schema.qualifiedName, now.name, snapshot.id))
          case outcome =>
            outcome.orThrow: Unit
            None
        }
    }
  }
}

private object StatisticsRecomputation {
  private val Rounds = 4

  /** The most file statistics that a checkpoint reads for one table. */
  private val CheapStatistics = 100000L
}
