package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableTarget
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns what the tasks wrote into a commit.
  *
  * @param directory the table's folder as Hadoop opens it
  */
final class DriverCommit(
    target: WriteTarget,
    replacement: Replacement,
    directory: String,
    settlement: Settlement,
) {

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val files = filesOf(messages)
    settlement.settle(operationsOf(files), written(files))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    settlement.abort(written(filesOf(messages)))

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
