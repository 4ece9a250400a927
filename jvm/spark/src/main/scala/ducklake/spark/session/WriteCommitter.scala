package ducklake.spark.session

import ducklake.catalog.change.Operation
import ducklake.catalog.commit.CommitOutcome
import org.slf4j.LoggerFactory

/** The end of one write on the driver: makes the commit, or hands it to the statement's owner, and
  * knows when files may be deleted. Spark asks to abort after any failure, also one that came when
  * the snapshot was already there.
  *
  * @param options of the write
  */
final class WriteCommitter(target: WriteTarget, options: Map[String, String]) {

  private val log = LoggerFactory.getLogger(classOf[WriteCommitter])

  // Spark calls commit, then perhaps abort, on one thread.
  private var mayDelete = true
  private var done: Vector[Operation] = Vector.empty

  /** What was committed, or handed to the statement's owner. */
  def settled: Vector[Operation] = done

  /** @param files all that the operations name
    *
    * Errors: those of a commit. What changes nothing makes no snapshot.
    */
  def settle(operations: Vector[Operation], files: WrittenFiles): Unit = {
    // Until the outcome is known, nothing may be deleted.
    mayDelete = false
    target.sink match {
      case WriteSink.Staged(work) => work.add(StagedWrite(operations, files, options))
      case WriteSink.CommitNow if operations.isEmpty => ()
      case WriteSink.CommitNow => commit(operations, files)
    }
    done = operations
  }

  private def commit(operations: Vector[Operation], files: WrittenFiles): Unit = {
    val info = target.session.commitInfo(options)
    val outcome = target.session.commit(target.base, operations, info)
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        log.info(
          "Committed snapshot {} of {}: {} new files",
          snapshot.id.value,
          target.layout.name,
          files.paths.length,
        )
      case CommitOutcome.Failed(_) => mayDelete = true
      case CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome.orThrow: Unit
  }

  /** Deletes the files unless a snapshot names them, or may. */
  def abort(files: WrittenFiles): Unit = if (mayDelete) files.delete()
}
