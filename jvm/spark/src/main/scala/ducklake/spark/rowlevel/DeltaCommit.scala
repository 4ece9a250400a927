package ducklake.spark.rowlevel

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.NewInlinedRow
import ducklake.catalog.change.Operation
import ducklake.catalog.change.RowIds
import ducklake.catalog.change.RowScope
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.DataFileId
import ducklake.files.DeletedPositions
import ducklake.spark.delete.RemovedRows
import ducklake.spark.delete.RowRemoval
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WrittenFiles
import ducklake.spark.write.BufferedRows
import ducklake.spark.write.WriteSpec
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns what the tasks of a row-level statement found and wrote into a commit.
  *
  * @param spec how tasks write rows that are inserted
  * @param inliningRowLimit rows, and deleted positions of a file, that the catalog itself may keep
  */
private[rowlevel] final class DeltaCommit(
    table: TableAtSnapshot,
    spec: WriteSpec,
    inliningRowLimit: Long,
    settlement: WriteCommitter,
) {

  private val target = TableTarget.Existing(table.table)

  // Filled while the operations are made, before anything can fail that needs it.
  private var ownFiles: Vector[String] = Vector.empty

  /** New files get their ids before the delete files, as DuckDB numbers them; rows are put into the
    * catalog after others were ended there, since those that change keep their ids. What MERGE inserts
    * because it found no such row must not meet rows that came meanwhile.
    */
  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val results = resultsOf(messages)
    val (files, inlined) = newRows(results)
    val removed = united(results)
    val gone = if (removed.isEmpty) Vector.empty else Vector(remove(removed))
    val added = Option.when(files.nonEmpty)(Operation.AppendFiles(target, files))
    val kept = Option.when(inlined.nonEmpty)(Operation.AppendInlined(target, inlined))
    val guard = Option.when(added.nonEmpty || kept.nonEmpty)(
      Operation.AssertNoNewRows(table.table, RowScope.Every)
    )
    settlement.settle(added.toVector ++ gone ++ kept ++ guard, written(results))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    settlement.abort(written(resultsOf(messages)))

  private def newRows(
      results: Vector[DeltaResult]
  ): (Vector[NewDataFile], Vector[NewInlinedRow]) = {
    val files = results.flatMap(_.files)
    val left = Vector(
      BufferedRows(spec, results.flatMap(_.inserted.held), RowIds.Fresh),
      BufferedRows(
        DeltaTaskWriter.withRowId(spec),
        results.flatMap(_.updated.held),
        RowIds.Embedded,
      ),
    )
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    BufferedRows.settle(left, limit, table.session.lake, conf) match {
      case Left(more) =>
        ownFiles ++= more.map(spec.directory + _.path)
        (files ++ more, Vector.empty)
      case Right(inlined) => (files, inlined)
    }
  }

  private def remove(removed: RemovedRows): Operation = {
    val removal = new RowRemoval(table.table, table.snapshot, inliningRowLimit, conf)
    val (operation, files) = removal.write(removed)
    ownFiles ++= files.paths
    operation
  }

  /** Several tasks may have met rows of one file. */
  private def united(results: Vector[DeltaResult]): RemovedRows = {
    val places = results.flatMap(_.removed).groupMapReduce(_._1)(_._2)(_ ++ _)
    val (inlined, inFiles) = places.partition { case (file, _) => file == ReadColumn.FileId.NoFile }
    RemovedRows(
      inFiles.map { case (file, positions) => DataFileId(file) -> DeletedPositions(positions) },
      inlined.values.flatten.toVector.distinct.sorted,
    )
  }

  /** A task that did not end sends nothing. */
  private def resultsOf(messages: Vector[WriterCommitMessage]): Vector[DeltaResult] =
    messages.collect { case result: DeltaResult => result }

  private def written(results: Vector[DeltaResult]): WrittenFiles =
    WrittenFiles(results.flatMap(_.files).map(spec.directory + _.path) ++ ownFiles)

  private def conf = WriteHadoopConf.ofSession(SparkSession.active)
}
