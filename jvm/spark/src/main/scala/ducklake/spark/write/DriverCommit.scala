package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.delete.ReadRows
import ducklake.spark.delete.ReplacedRowsReader
import ducklake.spark.delete.RowsToDelete
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns the results of the tasks of a write into a commit.
  *
  * @param spec the settings that the tasks share
  * @param inliningRowLimit how many rows, or deleted positions of a file, may be inlined in the
  *   catalog
  * @param mindsNewRows whether an overwrite conflicts with rows that others add to the replaced
  *   part: these would remain beside the new rows
  */
final class DriverCommit(
    target: WriteTarget,
    mode: OverwriteMode,
    spec: WriteSpec,
    inliningRowLimit: Long,
    mindsNewRows: Boolean,
    committer: WriteCommitter,
) {
  import DriverCommit.Replaced

  private val driver = new DriverRows(target.session, spec, inliningRowLimit)

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val buffered = BufferedRows(spec, bufferedIn(messages), RowIds.Fresh)
    val rows = driver.newRows(filesOf(messages), Vector(buffered))
    val replaced = target.table match {
      case TableTarget.Created(_) => Replaced.Nothing
      case TableTarget.Existing(table) => replacedBy(rows, table)
    }
    committer.commit(planOf(rows, replaced, written(messages)))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit = committer.abort(written(messages))

  private def written(messages: Vector[WriterCommitMessage]): WrittenFiles =
    driver.written(filesOf(messages))

  /** The plan of the write. It has no operations when nothing changes, and then no snapshot is
    * created.
    */
  private def planOf(rows: NewRows, replaced: Replaced, written: WrittenFiles): WritePlan =
    replaced match {
      case Replaced.Nothing => WritePlan.fixed(rows.around(target.table, None), written)
      case Replaced.Everything(table) =>
        val guard = Option.when(mindsNewRows)(Operation.AssertSameRows(table))
        val added = rows.around(target.table, None)
        WritePlan.fixed(Operation.Truncate(table) +: (added ++ guard), written)
      case Replaced.Rows(removed, replacer, read, guard) =>
        replacer
          .plan(removed, read, driver.note)
          .write(deletes => rows.around(target.table, deletes) ++ guard, written)
    }

  private def replacedBy(rows: NewRows, table: LakeTable): Replaced =
    mode match {
      case OverwriteMode.Nothing => Replaced.Nothing
      case OverwriteMode.Everything => Replaced.Everything(table)
      case OverwriteMode.Matching(predicates) =>
        val replacer = replacerOf(table)
        val read = Option.when(mindsNewRows && !rows.isEmpty)(replacer.read(predicates))
        Replaced.Rows(replacer.matching(predicates), replacer, read, guard = None)
      case OverwriteMode.Partitions if rows.isEmpty => Replaced.Nothing
      case OverwriteMode.Partitions if spec.partition.isEmpty => Replaced.Everything(table)
      case OverwriteMode.Partitions =>
        val replacer = replacerOf(table)
        val scope = replacer.scopeOf(rows.partitions)
        val guard = Option.when(mindsNewRows)(Operation.AssertNoNewRows(table, scope))
        Replaced.Rows(replacer.partitionsOf(rows.partitions), replacer, read = None, guard)
    }

  private def replacerOf(table: LakeTable): ReplacedRowsReader =
    new ReplacedRowsReader(target, table, spec.partition, inliningRowLimit)

  /** The files of the tasks that have ended. Other tasks send none. */
  private def filesOf(messages: Vector[WriterCommitMessage]): Vector[NewDataFile] =
    messages.collect { case TaskResult(files, _) => files }.flatten

  private def bufferedIn(messages: Vector[WriterCommitMessage]) =
    messages.collect { case TaskResult(_, rows) => rows }.flatten
}

private object DriverCommit {

  /** The rows that a write replaces. */
  sealed trait Replaced

  object Replaced {
    case object Nothing extends Replaced
    final case class Everything(table: LakeTable) extends Replaced

    /** @param read the rows that the write has read, if new rows of others are a conflict
      * @param guard the operation that accompanies the new rows
      */
    final case class Rows(
        removed: RowsToDelete,
        replacer: ReplacedRowsReader,
        read: Option[ReadRows],
        guard: Option[Operation],
    ) extends Replaced
  }
}
