package ducklake.spark.maintenance.flush

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.errors.PartFailure
import ducklake.spark.maintenance.AutoCompact
import ducklake.spark.maintenance.Conflict
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** A table whose inlined rows or inlined deletes were written to files.
  *
  * @param rows the number of row versions that were written; 0 when only deletes were written
  * @param files data files and delete files that were written
  * @param bytes of these files
  * @param conflicts how often commits of others made it start again
  */
final case class FlushedTable(
    schema: String,
    table: String,
    rows: Long,
    files: Long,
    bytes: Long,
    conflicts: Int,
)

/** Moves the inlined rows and inlined deletes of tables to files. Each table has its own commit, so
  * that a conflict on one table does not undo the others.
  *
  * Source: DuckDB 1.5.5 (format 7.5), which flushes all tables in one commit.
  */
final class FlushInlined(call: MaintenanceCall) {
  import FlushInlined.Failed

  private val lake = call.lake
  private val log = LoggerFactory.getLogger(classOf[FlushInlined])
  private val options = lake.options()

  /** Flushes the tables. Returns the tables with flushed data, ordered by schema and name. Tables
    * with the option `auto_compact` set to false are skipped, as in DuckDB.
    *
    * A table that is dropped before its turn is left out, unless the caller named it.
    *
    * Errors: for a single table, InvalidValue for a value that no file can hold, CommitConflict and
    * other errors of a commit. For several tables, FlushIncomplete after all tables were tried. An
    * interrupt and a cancelled job end the call at once.
    */
  def flush(tables: MaintainedTables): Vector[FlushedTable] = {
    val chosen = tables.listed
      .filter(AutoCompact.of(lake).takes)
      .sortBy(table => (table.schema.qualifiedName, table.name))
    val (failed, flushed) = chosen.partitionMap(attempt(tables, _))
    failed.headOption.foreach { first =>
      throw (if (chosen.sizeIs == 1) first.cause else incomplete(failed, flushed.flatten, first))
    }
    flushed.flatten
  }

  private def attempt(
      tables: MaintainedTables,
      table: LakeTable,
  ): Either[Failed, Option[FlushedTable]] =
    try Right(rounds(tables, table, FlushInlined.Rounds))
    catch {
      case PartFailure(cause) =>
        log.warn("{} is not flushed: {}", table.qualifiedName, cause.getMessage)
        Left(Failed(table, cause))
    }

  /** Flushes one table, and again after a conflict with another commit. Each attempt reads the
    * newest snapshot. None when the catalog holds no inlined data of the table.
    */
  @tailrec
  private def rounds(
      tables: MaintainedTables,
      table: LakeTable,
      left: Int,
  ): Option[FlushedTable] = {
    val now = lake.prepareToWrite()
    tables.current(now, table, "flush").map(flushTable(now, _)) match {
      case None => None
      case Some(Right(done)) => done.map(_.copy(conflicts = FlushInlined.Rounds - left))
      case Some(Left(conflict)) if left <= 1 => throw conflict
      case Some(Left(conflict)) =>
        log.info("{} is flushed anew: {}", table.qualifiedName, conflict.getMessage)
        rounds(tables, table, left - 1)
    }
  }

  /** Returns the conflict that kept the flush from being committed; all its files are then deleted.
    */
  private def flushTable(
      base: LakeSnapshot,
      table: LakeTable,
  ): Either[LakeException, Option[FlushedTable]] = {
    val flush = new TableFlush(lake, base, table, configOf(table))
    val planned =
      try Right(flush.run())
      catch {
        case failure: Throwable =>
          flush.mayBeWritten.delete(lake.config.hadoop)
          failure match {
            case Conflict(cause) => Left(cause)
            case _ => throw failure
          }
      }
    planned.flatMap { operation =>
      operation.flatMap(commit(base, _, flush.written)).toLeft(operation.map(flushed))
    }
  }

  private def incomplete(
      failed: Vector[Failed],
      flushed: Vector[FlushedTable],
      first: Failed,
  ): LakeException =
    new LakeException(
      LakeError.FlushIncomplete(
        failed.map(_.table.qualifiedName),
        flushed.map(done => s"${done.schema}.${done.table} (${done.rows} rows)"),
        first.cause.getMessage,
      ),
      Some(first.cause),
    )

  /** Returns the conflict that kept the operation from being committed. */
  private def commit(
      base: LakeSnapshot,
      operation: Operation.FlushInlined,
      files: WrittenFiles,
  ): Option[LakeException] = {
    val outcome = call.commit(base, Vector(operation))
    outcome.ifNoSnapshot(files.delete(lake.config.hadoop))
    outcome.committed.foreach { snapshot =>
      log.info(
        "Flushed what the catalog kept of {} in snapshot {}: {} new files",
        operation.table.qualifiedName,
        snapshot.id.value,
        files.paths.size,
      )
    }
    outcome match {
      case Conflict(cause) => Some(cause)
      case _ =>
        outcome.orThrow: Unit
        None
    }
  }

  private def flushed(operation: Operation.FlushInlined): FlushedTable = {
    val rows = operation.rows.flatMap(_.files)
    val deletes = rows.flatMap(_.deletes) ++ operation.deletes.map(_.file)
    FlushedTable(
      operation.table.schema.qualifiedName,
      operation.table.name,
      operation.rows.map(_.versions).sum,
      (rows.size + deletes.size).toLong,
      rows.map(_.file.sizeBytes).sum + deletes.map(_.physical.sizeBytes).sum,
      conflicts = 0,
    )
  }

  private def configOf(table: LakeTable): WriteConfig =
    WriteConfig.of(
      options,
      table.schema.id,
      Some(table.id),
      Map.empty,
      CaseInsensitiveStringMap.empty(),
    )
}

private object FlushInlined {

  /** The most attempts to flush a table when other commits come in between. */
  private val Rounds = 4

  /** A table that was not flushed, and the reason. */
  final case class Failed(table: LakeTable, cause: Throwable)
}
