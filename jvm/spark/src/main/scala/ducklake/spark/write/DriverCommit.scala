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

/** Turns the results of the tasks of a write into a commit.
  *
  * @param spec the settings that the tasks share
  * @param inliningRowLimit how many rows, or deleted positions of a file, may be inlined in the
  *   catalog
  */
final class DriverCommit(
    target: WriteTarget,
    mode: OverwriteMode,
    spec: WriteSpec,
    inliningRowLimit: Long,
    committer: WriteCommitter,
) {
  import DriverCommit.NewRows

  // The files that the driver wrote. They are noted before a later step can fail, because abort
  // deletes them.
  private var ownFiles: WrittenFiles = WrittenFiles(Vector.empty)

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val rows = newRows(messages)
    val operations = operationsOf(rows)
    committer.commit(operations, WrittenFiles(pathsOf(filesOf(messages)) ++ ownFiles.paths))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    committer.abort(WrittenFiles(pathsOf(filesOf(messages)) ++ ownFiles.paths))

  private def newRows(messages: Vector[WriterCommitMessage]): NewRows = {
    val files = filesOf(messages)
    val buffered = BufferedRows(spec, bufferedIn(messages), RowIds.Fresh)
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    BufferedRows.inlineOrWrite(Vector(buffered), limit, target.session.lake, conf) match {
      case Left(written) =>
        ownFiles = WrittenFiles(pathsOf(written))
        NewRows(files ++ written, Vector.empty, Set.empty)
      case Right(inlined) =>
        NewRows(files, inlined, if (inlined.isEmpty) Set.empty else buffered.partitions)
    }
  }

  /** The operations of the write. There are none when nothing changes, and then no snapshot is
    * created. New data files come before delete files, because DuckDB numbers files in this order.
    * Inlined rows are added after others are ended in the catalog.
    */
  private def operationsOf(rows: NewRows): Vector[Operation] = {
    val files =
      Option.when(rows.files.nonEmpty)(Operation.AppendFiles(target.table, rows.files))
    val inlined =
      Option.when(rows.inlined.nonEmpty)(Operation.AppendInlined(target.table, rows.inlined))
    val (truncates, deletes) = deletesOf(rows).partition {
      case Operation.Truncate(_) => true
      case _ => false
    }
    truncates ++ files ++ deletes ++ inlined
  }

  private def deletesOf(rows: NewRows): Vector[Operation] =
    target.table match {
      case TableTarget.Created(_) => Vector.empty
      case TableTarget.Existing(table) =>
        mode match {
          case OverwriteMode.Nothing => Vector.empty
          case OverwriteMode.Everything => Vector(Operation.Truncate(table))
          case OverwriteMode.Matching(predicates) =>
            val found = takeOperation(replacer(table).matching(predicates))
            found.toVector ++ guard(table, rows, RowScope.Every)
          case OverwriteMode.Partitions if spec.partition.isEmpty =>
            Vector(Operation.Truncate(table))
          case OverwriteMode.Partitions if rows.isEmpty => Vector.empty
          case OverwriteMode.Partitions =>
            val found = takeOperation(replacer(table).partitionsOf(rows.partitions))
            found.toVector ++ guard(table, rows, replacer(table).scopeOf(rows.partitions))
        }
    }

  /** Makes the commit fail when other commits have added rows in the scope, because they would
    * remain beside the new rows.
    */
  private def guard(table: LakeTable, rows: NewRows, scope: RowScope): Option[Operation] =
    Option.unless(rows.isEmpty)(Operation.AssertNoNewRows(table, scope))

  private def replacer(table: LakeTable): RowReplacer =
    new RowReplacer(target, table, spec.partition, inliningRowLimit)

  private def takeOperation(found: Option[(Operation, WrittenFiles)]): Option[Operation] = {
    found.foreach { case (_, files) => ownFiles = WrittenFiles(ownFiles.paths ++ files.paths) }
    found.map(_._1)
  }

  /** The files of the tasks that have ended. Other tasks send none. */
  private def filesOf(messages: Vector[WriterCommitMessage]): Vector[NewDataFile] =
    messages.collect { case TaskResult(files, _) => files }.flatten

  private def bufferedIn(messages: Vector[WriterCommitMessage]) =
    messages.collect { case TaskResult(_, rows) => rows }.flatten

  private def pathsOf(files: Vector[NewDataFile]): Vector[String] =
    files.map(file => spec.directory + file.path)

  private def conf =
    WriteHadoopConf.ofSession(SparkSession.active, target.session.config.hadoop)
}

private object DriverCommit {

  /** The new rows of a write.
    *
    * @param inlinedPartitions the partitions of the inlined rows
    */
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
