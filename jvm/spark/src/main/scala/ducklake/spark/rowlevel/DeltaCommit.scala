package ducklake.spark.rowlevel

import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.spark.delete.DeleteOperationBuilder
import ducklake.spark.delete.ReadRows
import ducklake.spark.delete.RowPlan
import ducklake.spark.delete.RowsToDelete
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WrittenFiles
import ducklake.spark.write.BufferedRows
import ducklake.spark.write.DriverRows
import ducklake.spark.write.WriteSpec
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
  private val driver = new DriverRows(table.session, spec, inliningRowLimit)

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val results = resultsOf(messages)
    val rows = driver.newRows(results.flatMap(_.files), buffered(results))
    val removed = united(results)
    val plan =
      if (removed.isEmpty && rows.isEmpty) WritePlan.fixed(Vector.empty, written(results))
      else planOf(removed).write(rows.around(target, _), written(results))
    committer.commit(plan)
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    committer.abort(written(resultsOf(messages)))

  /** The rows that the tasks buffered: new rows, and updated rows with their row ids. */
  private def buffered(results: Vector[DeltaResult]): Vector[BufferedRows] =
    Vector(
      BufferedRows(spec, results.flatMap(_.inserted.bufferedRows), RowIds.Fresh),
      BufferedRows(
        DeltaTaskWriter.withRowId(spec),
        results.flatMap(_.updated.bufferedRows),
        RowIds.Embedded,
      ),
    )

  private def planOf(removed: RowsToDelete): RowPlan = {
    val removal =
      new DeleteOperationBuilder(table.table, table.snapshot, inliningRowLimit, driver.conf)
    new RowPlan(
      table.session,
      table.snapshot,
      Option.unless(removed.isEmpty)((removal, removed)),
      read(),
      driver.note,
    )
  }

  /** Unites the deleted positions by data file, because several tasks may have read rows of one
    * file.
    */
  private def united(results: Vector[DeltaResult]): RowsToDelete = {
    val byFile = results.flatMap(_.removed).groupMap(_._1)(_._2)
    RowsToDelete(
      byFile.map { case (file, parts) => DataFileId(file) -> CompressedPositions.union(parts) },
      RowsToDelete.rowIds(results.map(_.inlined)),
      whole = Vector.empty,
    )
  }

  /** The results of the tasks that have ended. Other tasks send none. */
  private def resultsOf(messages: Vector[WriterCommitMessage]): Vector[DeltaResult] =
    messages.collect { case result: DeltaResult => result }

  private def written(results: Vector[DeltaResult]): WrittenFiles =
    driver.written(results.flatMap(_.files))
}
