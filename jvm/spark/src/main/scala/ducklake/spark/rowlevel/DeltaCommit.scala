package ducklake.spark.rowlevel

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.spark.delete.ReadRows
import ducklake.spark.delete.RemovedRows
import ducklake.spark.delete.RowPlan
import ducklake.spark.delete.RowRemoval
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WrittenFiles
import ducklake.spark.write.BufferedRows
import ducklake.spark.write.WriteSpec
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns the results of the tasks of a row-level statement into a commit.
  *
  * @param spec how tasks write inserted rows
  * @param inliningRowLimit how many rows, or deleted positions of a file, may be inlined in the
  *   catalog
  * @param read the rows that a serializable statement has read
  */
private[rowlevel] final class DeltaCommit(
    table: TableAtSnapshot,
    spec: WriteSpec,
    inliningRowLimit: Long,
    read: () => Option[ReadRows],
    committer: WriteCommitter,
) {

  private val target = TableTarget.Existing(table.table)

  // The files that the driver wrote. They are noted before a later step can fail, because abort
  // deletes them.
  private var ownFiles: Vector[String] = Vector.empty

  /** Commits the statement. New data files come before delete files, because DuckDB numbers files
    * in this order. Inlined rows are added after replaced inlined rows are ended in the catalog,
    * because updated rows keep their row ids.
    */
  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val results = resultsOf(messages)
    val (files, inlined) = newRows(results)
    val removed = united(results)
    val appends = Option.when(files.nonEmpty)(Operation.AppendFiles(target, files))
    val inlines = Option.when(inlined.nonEmpty)(Operation.AppendInlined(target, inlined))
    def around(deletes: Option[Operation]): Vector[Operation] =
      appends.toVector ++ deletes ++ inlines
    if (removed.isEmpty && files.isEmpty && inlined.isEmpty)
      committer.commit(WritePlan.fixed(Vector.empty, written(results)))
    else committer.commit(planOf(removed).write(around, written(results)))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    committer.abort(written(resultsOf(messages)))

  private def newRows(
      results: Vector[DeltaResult]
  ): (Vector[NewDataFile], Vector[NewInlinedRow]) = {
    val files = results.flatMap(_.files)
    val buffered = Vector(
      BufferedRows(spec, results.flatMap(_.inserted.bufferedRows), RowIds.Fresh),
      BufferedRows(
        DeltaTaskWriter.withRowId(spec),
        results.flatMap(_.updated.bufferedRows),
        RowIds.Embedded,
      ),
    )
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    BufferedRows.inlineOrWrite(buffered, limit, table.session.lake, conf) match {
      case Left(driverFiles) =>
        ownFiles ++= driverFiles.map(spec.directory + _.path)
        (files ++ driverFiles, Vector.empty)
      case Right(inlined) => (files, inlined)
    }
  }

  private def planOf(removed: RemovedRows): RowPlan = {
    val removal = new RowRemoval(table.table, table.snapshot, inliningRowLimit, conf)
    new RowPlan(
      table.session,
      table.snapshot,
      Option.unless(removed.isEmpty)((removal, removed)),
      read(),
      files => ownFiles ++= files.paths,
    )
  }

  /** Unites the deleted positions by data file, because several tasks may have read rows of one
    * file.
    */
  private def united(results: Vector[DeltaResult]): RemovedRows = {
    val byFile = results.flatMap(_.removed).groupMap(_._1)(_._2)
    RemovedRows(
      byFile.map { case (file, parts) => DataFileId(file) -> CompressedPositions.union(parts) },
      RemovedRows.rowIds(results.map(_.inlined)),
      whole = Vector.empty,
    )
  }

  /** The results of the tasks that have ended. Other tasks send none. */
  private def resultsOf(messages: Vector[WriterCommitMessage]): Vector[DeltaResult] =
    messages.collect { case result: DeltaResult => result }

  private def written(results: Vector[DeltaResult]): WrittenFiles =
    WrittenFiles(results.flatMap(_.files).map(spec.directory + _.path) ++ ownFiles)

  private def conf =
    WriteHadoopConf.ofSession(SparkSession.active, table.session.config.hadoop)
}
