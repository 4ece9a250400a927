package ducklake.spark.rowlevel

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.DataFileId
import ducklake.files.DeletePositions
import ducklake.spark.internal.WriteConf
import ducklake.spark.read.ReadColumn
import ducklake.spark.table.DuckLakeTable
import ducklake.spark.write.RemovedRows
import ducklake.spark.write.RowRemoval
import ducklake.spark.write.Settlement
import ducklake.spark.write.WrittenFiles
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** Turns what the tasks of a row-level statement found and wrote into a commit.
  *
  * @param directory the table's folder as Hadoop opens it
  */
private[rowlevel] final class DeltaCommit(
    table: DuckLakeTable,
    directory: String,
    settlement: Settlement,
) {

  def commit(messages: Vector[WriterCommitMessage]): Unit = {
    val results = resultsOf(messages)
    val removed = united(results)
    val (gone, deletes) =
      if (removed.isEmpty) (Vector.empty, WrittenFiles(Vector.empty)) else remove(removed)
    val files = results.flatMap(_.files)
    val added = Option.when(files.nonEmpty)(
      Operation.AppendFiles(TableTarget.Existing(table.table), files)
    )
    // New files get their ids before the delete files, as DuckDB numbers them.
    settlement.settle(added.toVector ++ gone, WrittenFiles(deletes.paths ++ written(files).paths))
  }

  def abort(messages: Vector[WriterCommitMessage]): Unit =
    settlement.abort(written(resultsOf(messages).flatMap(_.files)))

  private def remove(removed: RemovedRows): (Vector[Operation], WrittenFiles) = {
    val conf = WriteConf.ofSession(SparkSession.active)
    val (operation, files) = new RowRemoval(table.table, table.snapshot, conf).write(removed)
    (Vector(operation), files)
  }

  /** Several tasks may have met rows of one file. */
  private def united(results: Vector[DeltaResult]): RemovedRows = {
    val places = results.flatMap(_.removed).groupMapReduce(_._1)(_._2)(_ ++ _)
    val (inlined, inFiles) = places.partition { case (file, _) => file == ReadColumn.FileId.NoFile }
    RemovedRows(
      inFiles.map { case (file, positions) => DataFileId(file) -> DeletePositions(positions) },
      inlined.values.flatten.toVector.distinct.sorted,
    )
  }

  /** A task that did not end sends nothing. */
  private def resultsOf(messages: Vector[WriterCommitMessage]): Vector[DeltaResult] =
    messages.collect { case result: DeltaResult => result }

  private def written(files: Vector[NewDataFile]): WrittenFiles =
    WrittenFiles(files.map(file => directory + file.path))
}
