package ducklake.spark.write

import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableTarget
import ducklake.catalog.commit.CommitOutcome
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.slf4j.LoggerFactory

/** Turns what the tasks wrote into a commit, and knows when its files may be deleted: Spark asks to
  * abort after any failure, also one that came when the snapshot was already there.
  *
  * @param directory the table's folder as Hadoop opens it
  */
final class DriverCommit(target: WriteTarget, replacement: Replacement, directory: String) {

  private val log = LoggerFactory.getLogger(classOf[DriverCommit])

  // Spark calls commit, then perhaps abort, on one thread.
  private var state: DriverCommit.State = DriverCommit.State.Open

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val files = filesOf(messages)
    val operations = operationsOf(files)
    target.sink match {
      case WriteSink.Staged(work) =>
        state = DriverCommit.State.OutOfOurHands
        work.add(StagedWrite(operations, written(files)))
      case WriteSink.CommitNow if operations.isEmpty => state = DriverCommit.State.OutOfOurHands
      case WriteSink.CommitNow => settle(operations, files)
    }
  }

  private def settle(operations: Vector[Operation], files: Vector[NewDataFile]): Unit = {
    // Until the outcome is known, nothing may be deleted.
    state = DriverCommit.State.OutOfOurHands
    val outcome = target.session.commit(target.base, operations, CommitInfo.none)
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        log.info(
          "Committed snapshot {} of {}: {} files with {} rows",
          snapshot.id.value,
          target.layout.name,
          files.length,
          files.map(_.recordCount).sum,
        )
      case CommitOutcome.Failed(_) => state = DriverCommit.State.Open
      case CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome.orThrow: Unit
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    state match {
      case DriverCommit.State.Open => written(filesOf(messages)).delete()
      case DriverCommit.State.OutOfOurHands => ()
    }

  /** Rows that are gone go before rows that come; what changes nothing makes no snapshot. */
  private def operationsOf(files: Vector[NewDataFile]): Vector[Operation] = {
    val gone = (replacement, target.table) match {
      case (Replacement.Everything, TableTarget.Existing(table)) =>
        Vector(Operation.Truncate(table))
      case (Replacement.Everything, TableTarget.Created(_)) | (Replacement.Nothing, _) =>
        Vector.empty
    }
    gone ++ Option.when(files.nonEmpty)(Operation.AppendFiles(target.table, files))
  }

  /** A task that did not end sends nothing. */
  private def filesOf(messages: Vector[WriterCommitMessage]): Vector[NewDataFile] =
    messages.collect { case TaskResult(files) => files }.flatten

  private def written(files: Vector[NewDataFile]): WrittenFiles =
    WrittenFiles(files.map(file => directory + file.path))
}

private object DriverCommit {

  sealed trait State

  object State {

    /** Nothing names the files: they may be deleted. */
    case object Open extends State

    /** The files are in a snapshot, or may be, or belong to another commit. */
    case object OutOfOurHands extends State
  }
}
