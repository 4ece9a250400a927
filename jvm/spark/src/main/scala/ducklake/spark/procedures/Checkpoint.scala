package ducklake.spark.procedures

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.PartFailure
import ducklake.spark.session.LakeCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.slf4j.LoggerFactory

/** The upkeep of the whole lake in one call, as its options say. A step that fails stops no other.
  *
  * Source: DuckDB 1.5.5, CHECKPOINT (format 9.7), which gives up at the first failure.
  */
final class Checkpoint(session: SessionLake)
    extends LakeChange(
      "checkpoint",
      "Flushes, expires, compacts and cleans up the whole lake, as its options say",
    ) {

  private val log = LoggerFactory.getLogger(classOf[Checkpoint])

  private val steps: Vector[LakeProcedure] = Vector(
    new FlushInlinedData(session),
    new ExpireSnapshots(session),
    new MergeAdjacentFiles(session),
    new RewriteDataFiles(session),
    new CleanupOldFilesProcedure(session),
    new DeleteOrphanedFiles(session, "delete_orphaned_files"),
  )

  override def parameters(): Array[ProcedureParameter] = Array.empty

  /** Errors: MaintenanceIncomplete when steps failed, after all were tried. An interrupt and a
    * cancelled job end the call at once.
    */
  override def run(arguments: Arguments): Unit = {
    session.writableIfAny(): Unit // a read-only catalog fails once, not at each step
    val call = new LakeCall(session)
    val tried = steps.map(step => step -> attempt(call, step))
    val failed = tried.collect { case (step, Some(cause)) => (step, cause) }
    failed.headOption.foreach { case (_, first) =>
      val done = tried.collect { case (step, None) => step.name() }
      throw new LakeException(
        LakeError.MaintenanceIncomplete(
          name(),
          if (done.isEmpty) "nothing" else done.mkString(", "),
          failed
            .map { case (step, cause) => s"${step.name()} failed: ${cause.getMessage}" }
            .mkString("; "),
        ),
        Some(first),
      )
    }
  }

  /** Runs a step without arguments. Returns why it failed. */
  private def attempt(call: LakeCall, step: LakeProcedure): Option[Throwable] =
    try {
      val none = new GenericInternalRow(step.parameters().length)
      val result = step match {
        case several: MaintenanceProcedure => several.result(call, none)
        case other => other.result(none)
      }
      val rows = result.rows().size
      log.info("checkpoint: {} is done, its result has {} rows", step.name(), rows)
      None
    } catch {
      case PartFailure(cause) =>
        log.warn("checkpoint: {} failed: {}", step.name(), cause.getMessage)
        Some(cause)
    }
}
