package ducklake.spark.procedures.upkeep

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.PartFailure
import ducklake.spark.maintenance.AutoCompact
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.maintenance.StatisticsRecomputation
import ducklake.spark.maintenance.cleanup.AgeOption
import ducklake.spark.maintenance.compact.Compactor
import ducklake.spark.maintenance.compact.FilesWhere
import ducklake.spark.maintenance.compact.MergeSizes
import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.metadata.LocalResult
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.ChosenTables
import ducklake.spark.procedures.CleanupOldFilesProcedure
import ducklake.spark.procedures.DeleteOrphanedFiles
import ducklake.spark.procedures.ExpireSnapshots
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.procedures.MaintenanceProcedure
import ducklake.spark.procedures.MergeAdjacentFiles
import ducklake.spark.procedures.RewriteDataFiles
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.slf4j.LoggerFactory

/** The upkeep of the whole lake in one call, by its options. A step that fails does not stop the
  * others.
  *
  * Source: DuckDB 1.5.5, CHECKPOINT (format 9.7), which gives up at the first failure; the result
  * and the step `recompute_statistics` are ours, decisions 15 and 26.
  */
final class Checkpoint(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      "checkpoint",
      "Flushes, expires, compacts and cleans up the whole lake, as its options say",
    ) {
  import Checkpoint.*

  private val log = LoggerFactory.getLogger(classOf[Checkpoint])

  private val steps: Vector[Step] = Vector(
    Step("flush_inlined_data", flushed),
    Step("expire_snapshots", (_, name) => expired(name)),
    Step(MergeAdjacentFiles.Name, merged),
    Step(RewriteDataFiles.Name, rewritten),
    Step(RecomputeStatistics.Name, recomputed),
    Step("cleanup_old_files", (_, name) => cleanedUp(name)),
    Step("delete_orphaned_files", (_, name) => orphansDeleted(name)),
  )

  override def parameters(): Array[ProcedureParameter] =
    Array(Arguments.flag("apply_deletes"))

  /** Errors: MaintenanceIncomplete when steps failed, after all were tried. An interrupt and a
    * cancelled job end the call at once.
    */
  override def result(call: MaintenanceCall, row: InternalRow): LocalResult = {
    session.prepareToWriteIfAny(): Unit // a read-only catalog fails once, not at each step
    val appliesDeletes = new Arguments(name(), row).flag(0).getOrElse(true)
    val tried = steps.map(step => step -> attempt(Run(call, appliesDeletes), step))
    val failed = tried.collect { case (step, Left(cause)) => (step, cause) }
    failed.headOption.foreach { case (_, first) =>
      val done = tried.collect { case (step, Right(_)) => step.name }
      throw new LakeException(
        LakeError.MaintenanceIncomplete(
          name(),
          if (done.isEmpty) "nothing" else done.mkString(", "),
          failed
            .map { case (step, cause) => s"${step.name} failed: ${cause.getMessage}" }
            .mkString("; "),
        ),
        Some(first),
      )
    }
    CheckpointRow.result(tried.collect { case (_, Right(rows)) => rows }.flatten)
  }

  /** Runs a step. Left: why it failed. */
  private def attempt(run: Run, step: Step): Either[Throwable, Vector[CheckpointRow]] = {
    val began = System.nanoTime()
    try {
      val found = step.run(run, step.name)
      val rows = if (found.isEmpty) Vector(CheckpointRow.nothing(step.name)) else found
      val millis = (System.nanoTime() - began) / 1000000
      log.info("checkpoint: {} took {} ms", step.name, millis)
      rows.foreach(row => log.info("checkpoint: {}: {}", row.step, row.sentence))
      Right(rows)
    } catch {
      case PartFailure(cause) =>
        log.warn("checkpoint: {} failed: {}", step.name, cause.getMessage)
        Left(cause)
    }
  }

  private def flushed(run: Run, name: String): Vector[CheckpointRow] =
    ofTables(name) { (_, tables) =>
      new FlushInlined(run.call).flush(tables).map(CheckpointRow.flushed(name, _))
    }

  private def merged(run: Run, name: String): Vector[CheckpointRow] = {
    val sizes = MergeSizes(leastBytes = 0L, belowBytes = Long.MaxValue, mostFiles = Long.MaxValue)
    compacted(
      name,
      MergeAdjacentFiles.compactor(run.call, sizes, run.appliesDeletes, FilesWhere.All),
    )
  }

  private def rewritten(run: Run, name: String): Vector[CheckpointRow] =
    compacted(name, RewriteDataFiles.compactor(run.call, leastDeleted = None, FilesWhere.All))

  private def compacted(name: String, compactor: Compactor): Vector[CheckpointRow] =
    ofTables(name)((_, tables) => compactor.run(tables).flatMap(CheckpointRow.compacted(name, _)))

  /** The rows of a step that leaves out tables with the option `auto_compact` set to false. */
  private def ofTables(name: String)(
      step: (LakeSnapshot, MaintainedTables) => Vector[CheckpointRow]
  ): Vector[CheckpointRow] =
    session.prepareToWriteIfAny().toVector.flatMap { base =>
      val tables = ChosenTables.all(base)
      val leftOut = tables.listed.filterNot(AutoCompact.of(session).takes)
      step(base, tables) ++ leftOut.map(CheckpointRow.leftOut(name, _, "auto_compact is false"))
    }

  private def recomputed(run: Run, name: String): Vector[CheckpointRow] =
    session.prepareToWriteIfAny().toVector.flatMap { base =>
      val statistics = new StatisticsRecomputation(run.call)
      val (cheap, others) = statistics.outdated(base, ChosenTables.all(base))
      statistics.run(MaintainedTables.AllOf(cheap)).map(CheckpointRow.recomputed(name, _)) ++
        others.map(CheckpointRow.leftOut(name, _, "it has many files: call recompute_statistics"))
    }

  private def expired(name: String): Vector[CheckpointRow] =
    if (AgeOption.limit(session, AgeOption.Expire).isEmpty)
      Vector(CheckpointRow.nothing(name, "expire_older_than is not set"))
    else {
      val expiry = new ExpireSnapshots(session)
      expiry.expired(noArguments(expiry)).flatMap(CheckpointRow.expired(name, _)).toVector
    }

  private def cleanedUp(name: String): Vector[CheckpointRow] = {
    val cleanup = new CleanupOldFilesProcedure(session)
    deleted(name, cleanup.deleted(noArguments(cleanup)))
  }

  private def orphansDeleted(name: String): Vector[CheckpointRow] = {
    val deletion = new DeleteOrphanedFiles(session, name)
    deleted(name, deletion.result(noArguments(deletion)).rows().size.toLong)
  }

  private def deleted(name: String, count: Long): Vector[CheckpointRow] =
    Vector(count).filter(_ > 0).map(some => CheckpointRow(name, filesDeleted = Some(some)))

  private def noArguments(procedure: LakeProcedure): InternalRow =
    new GenericInternalRow(procedure.parameters().length)
}

private object Checkpoint {

  /** @param appliesDeletes whether small files with deletes are merged, too */
  private final case class Run(call: MaintenanceCall, appliesDeletes: Boolean)

  /** @param run gets its name, too */
  private final case class Step(name: String, run: (Run, String) => Vector[CheckpointRow])
}
