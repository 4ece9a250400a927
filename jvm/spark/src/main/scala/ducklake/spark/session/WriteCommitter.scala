package ducklake.spark.session

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import org.slf4j.LoggerFactory

/** What a write committed or staged, for Spark's metrics.
  *
  * @param rows in new data files, and inlined ones
  * @param bytes of new data files and delete files
  * @param files new data files
  */
final case class WriteTotals(rows: Long, bytes: Long, files: Long, deleteFiles: Long)

object WriteTotals {
  val none: WriteTotals = WriteTotals(0L, 0L, 0L, 0L)

  def of(operations: Vector[Operation]): WriteTotals =
    operations.foldLeft(none) { (sums, operation) =>
      operation match {
        case Operation.AppendFiles(_, files) =>
          sums.copy(
            rows = sums.rows + files.map(_.recordCount).sum,
            bytes = sums.bytes + files.map(_.sizeBytes).sum,
            files = sums.files + files.length,
          )
        case Operation.AppendInlined(_, rows) => sums.copy(rows = sums.rows + rows.size)
        case delete: Operation.DeleteRows =>
          sums.copy(
            bytes = sums.bytes + delete.deleteFiles.map(_.physical.sizeBytes).sum,
            deleteFiles = sums.deleteFiles + delete.deleteFiles.length,
          )
        case _ => sums
      }
    }
}

/** Commits one write on the driver, or stages it for the commit of its statement, and decides when
  * its files may be deleted. Spark calls abort after every failure, also when the snapshot already
  * exists.
  *
  * Errors: InvalidSetting for options that do not fit together, before anything is written.
  *
  * @param options of the write
  */
final class WriteCommitter(target: WriteTarget, options: Map[String, String]) {

  private val log = LoggerFactory.getLogger(classOf[WriteCommitter])

  private val info = StatementInfo.of(options)

  // Spark calls commit, then perhaps abort, on one thread.
  private var mayDelete = true
  private var done = WriteTotals.none

  /** What was committed or staged. The operations with their statistics are not kept: Spark asks for
    * the sums after the write, and a plan that has run lives as long as its frame.
    */
  def committed: WriteTotals = done

  /** Commits or stages the operations. Without operations no snapshot is created.
    *
    * Errors: the errors of a commit.
    */
  def commit(plan: WritePlan): Unit = {
    // Until the outcome is known, nothing may be deleted.
    mayDelete = false
    done = WriteTotals.of(target.sink match {
      case WriteSink.Staged(work) =>
        work.add(StagedWrite(plan, options, target.session.config.hadoop))
        plan.operations
      case WriteSink.CommitNow | WriteSink.CommitOnce(_) if plan.operations.isEmpty => Vector.empty
      case WriteSink.CommitNow => commitNow(plan, Vector.empty)
      case WriteSink.CommitOnce(epoch) =>
        commitNow(plan, Vector(Operation.RecordWrite(target.table, epoch)))
    })
  }

  /** Commits, and returns the operations of the last plan.
    *
    * @param record the operation that records an epoch
    */
  private def commitNow(plan: WritePlan, record: Vector[Operation]): Vector[Operation] = {
    var latest = plan
    def plannedAgain(): Vector[Operation] = {
      latest =
        try latest.again.fold(latest)(_())
        catch {
          case failure: Throwable =>
            mayDelete = true
            throw failure
        }
      latest.operations ++ record
    }
    val outcome = target.session.commit(
      target.base,
      plan.operations ++ record,
      info,
      plan.again.map(_ => () => plannedAgain()),
    )
    val files = latest.files
    outcome.ifNoSnapshot { mayDelete = true }
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        log.info(
          "Committed snapshot {} of {}: {} new files",
          snapshot.id.value,
          target.layout.name,
          files.paths.length,
        )
      case CommitOutcome.Unchanged(_) =>
        log.info("Nothing changes in {}: no snapshot is made", target.layout.name)
        files.delete(target.session.config.hadoop)
      case CommitOutcome.Repeated(_, _) => files.delete(target.session.config.hadoop)
      case CommitOutcome.Staged(_) | CommitOutcome.Failed(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome.orThrow: Unit
    latest.operations
  }

  /** Deletes the files, unless a snapshot names them or may name them. */
  def abort(files: WrittenFiles): Unit = if (mayDelete) files.delete(target.session.config.hadoop)
}
