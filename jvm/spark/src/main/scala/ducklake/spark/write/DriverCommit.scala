package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.LakeTable
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns what the tasks wrote into a commit.
  *
  * @param keys the table's partition keys
  * @param directory the table's folder as Hadoop opens it
  */
final class DriverCommit(
    target: WriteTarget,
    replacement: Replacement,
    keys: Vector[WriteKey],
    directory: String,
    settlement: Settlement,
) {

  // Filled while the operations are made, before anything can fail that needs it.
  private var deleteFiles: WrittenFiles = WrittenFiles(Vector.empty)

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val files = filesOf(messages)
    val operations = operationsOf(files)
    settlement.settle(operations, written(files))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    settlement.abort(written(filesOf(messages)))

  /** What changes nothing makes no snapshot. New files get their ids before the delete files, as
    * DuckDB numbers them.
    */
  private def operationsOf(files: Vector[NewDataFile]): Vector[Operation] = {
    val come = Option.when(files.nonEmpty)(Operation.AppendFiles(target.table, files))
    val (ends, deletes) = gone(files).partition {
      case Operation.Truncate(_) => true
      case _ => false
    }
    ends.toVector ++ come ++ deletes
  }

  private def gone(files: Vector[NewDataFile]): Option[Operation] =
    target.table match {
      case TableTarget.Created(_) => None
      case TableTarget.Existing(table) =>
        replacement match {
          case Replacement.Nothing => None
          case Replacement.Everything => Some(Operation.Truncate(table))
          case Replacement.Matching(predicates) => taken(replacer(table).matching(predicates))
          case Replacement.Partitions if keys.isEmpty => Some(Operation.Truncate(table))
          case Replacement.Partitions if files.isEmpty => None
          case Replacement.Partitions => taken(replacer(table).partitionsOf(files))
        }
    }

  private def replacer(table: LakeTable): RowReplacer =
    new RowReplacer(target, table, keys)

  private def taken(found: Option[(Operation, WrittenFiles)]): Option[Operation] = {
    found.foreach { case (_, files) => deleteFiles = files }
    found.map(_._1)
  }

  /** A task that did not end sends nothing. */
  private def filesOf(messages: Vector[WriterCommitMessage]): Vector[NewDataFile] =
    messages.collect { case TaskResult(files) => files }.flatten

  private def written(files: Vector[NewDataFile]): WrittenFiles =
    WrittenFiles(files.map(file => directory + file.path) ++ deleteFiles.paths)
}
