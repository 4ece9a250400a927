package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.NewInlinedRow
import ducklake.catalog.change.Operation
import ducklake.catalog.change.RowIds
import ducklake.catalog.change.RowScope
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.delete.RowReplacer
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns what the tasks wrote into a commit.
  *
  * @param spec what the tasks share
  * @param inliningRowLimit rows that the catalog itself may keep
  */
final class DriverCommit(
    target: WriteTarget,
    replacement: OverwriteMode,
    spec: WriteSpec,
    inliningRowLimit: Long,
    settlement: WriteCommitter,
) {
  import DriverCommit.NewRows

  // Filled while the operations are made, before anything can fail that needs it.
  private var ownFiles: WrittenFiles = WrittenFiles(Vector.empty)

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val rows = newRows(messages)
    val operations = operationsOf(rows)
    settlement.settle(operations, WrittenFiles(pathsOf(filesOf(messages)) ++ ownFiles.paths))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    settlement.abort(WrittenFiles(pathsOf(filesOf(messages)) ++ ownFiles.paths))

  private def newRows(messages: Vector[WriterCommitMessage]): NewRows = {
    val files = filesOf(messages)
    val left = BufferedRows(spec, heldIn(messages), RowIds.Fresh)
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    BufferedRows.settle(Vector(left), limit, target.session.lake, conf) match {
      case Left(written) =>
        ownFiles = WrittenFiles(pathsOf(written))
        NewRows(files ++ written, Vector.empty, Set.empty)
      case Right(inlined) =>
        NewRows(files, inlined, if (inlined.isEmpty) Set.empty else left.partitions)
    }
  }

  /** What changes nothing makes no snapshot. New files get their ids before the delete files, as
    * DuckDB numbers them; rows are put into the catalog after others were ended there.
    */
  private def operationsOf(rows: NewRows): Vector[Operation] = {
    val files =
      Option.when(rows.files.nonEmpty)(Operation.AppendFiles(target.table, rows.files))
    val inlined =
      Option.when(rows.inlined.nonEmpty)(Operation.AppendInlined(target.table, rows.inlined))
    val (ends, deletes) = gone(rows).partition {
      case Operation.Truncate(_) => true
      case _ => false
    }
    ends ++ files ++ deletes ++ inlined
  }

  private def gone(rows: NewRows): Vector[Operation] =
    target.table match {
      case TableTarget.Created(_) => Vector.empty
      case TableTarget.Existing(table) =>
        replacement match {
          case OverwriteMode.Nothing => Vector.empty
          case OverwriteMode.Everything => Vector(Operation.Truncate(table))
          case OverwriteMode.Matching(predicates) =>
            val found = taken(replacer(table).matching(predicates))
            found.toVector ++ guard(table, rows, RowScope.Every)
          case OverwriteMode.Partitions if spec.partition.isEmpty =>
            Vector(Operation.Truncate(table))
          case OverwriteMode.Partitions if rows.isEmpty => Vector.empty
          case OverwriteMode.Partitions =>
            val found = taken(replacer(table).partitionsOf(rows.partitions))
            found.toVector ++ guard(table, rows, replacer(table).scopeOf(rows.partitions))
        }
    }

  /** Rows that come to the same place meanwhile would stay beside ours. */
  private def guard(table: LakeTable, rows: NewRows, scope: RowScope): Option[Operation] =
    Option.unless(rows.isEmpty)(Operation.AssertNoNewRows(table, scope))

  private def replacer(table: LakeTable): RowReplacer =
    new RowReplacer(target, table, spec.partition, inliningRowLimit)

  private def taken(found: Option[(Operation, WrittenFiles)]): Option[Operation] = {
    found.foreach { case (_, files) => ownFiles = WrittenFiles(ownFiles.paths ++ files.paths) }
    found.map(_._1)
  }

  /** A task that did not end sends nothing. */
  private def filesOf(messages: Vector[WriterCommitMessage]): Vector[NewDataFile] =
    messages.collect { case TaskResult(files, _) => files }.flatten

  private def heldIn(messages: Vector[WriterCommitMessage]) =
    messages.collect { case TaskResult(_, held) => held }.flatten

  private def pathsOf(files: Vector[NewDataFile]): Vector[String] =
    files.map(file => spec.directory + file.path)

  private def conf = WriteHadoopConf.ofSession(SparkSession.active)
}

private object DriverCommit {

  /** @param inlinedPartitions of the rows that go to the catalog */
  final case class NewRows(
      files: Vector[NewDataFile],
      inlined: Vector[NewInlinedRow],
      inlinedPartitions: Set[Vector[Option[String]]],
  ) {
    def isEmpty: Boolean = files.isEmpty && inlined.isEmpty

    def partitions: Set[Vector[Option[String]]] =
      files.flatMap(_.partition).toSet ++ inlinedPartitions
  }
}
