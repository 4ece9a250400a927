package ducklake.spark.maintenance.flush

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.FlushedDeletes
import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.change.operation.FlushedRows
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.listing.InlinedDeleteHistory
import ducklake.catalog.listing.InlinedTableHistory
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.classic.SparkSession

/** Writes the inlined data of a table to files: every version of every row, and the inlined deletes
  * of rows in data files.
  *
  * @param base the last snapshot whose inlined data is written
  */
private[flush] final class TableFlush(
    lake: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {
  private val session = SparkSession.active
  private val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
  private val tableSpec = FlushSpec.of(table, table.columns, config)

  // The paths of written files, changed by one thread. The files are deleted when the flush fails.
  private var writtenPaths: Vector[String] = Vector.empty
  private var plannedPaths: Vector[String] = Vector.empty

  /** The files that have been written. */
  def written: WrittenFiles = WrittenFiles(writtenPaths)

  /** The files that may have been written by a flush that failed. */
  def mayBeWritten: WrittenFiles = WrittenFiles((writtenPaths ++ plannedPaths).distinct)

  /** Writes the files. None when there is nothing to flush.
    *
    * Errors: InvalidValue for a value that no file can hold; UnwritableFile, UnreadableFile. After
    * an error the caller deletes the files.
    */
  def run(): Option[Operation.FlushInlined] = {
    val history = base.inlinedHistory(table)
    Option.when(history.rows.nonEmpty || history.deletesTable.nonEmpty) {
      Operation.FlushInlined(
        table,
        base.snapshot.id,
        history.rows.map(rows),
        deletes(history.deletes),
        history.deletesTable,
      )
    }
  }

  private def rows(inlined: InlinedTableHistory): FlushedRows = {
    val spec = FlushSpec.of(table, inlined.columns, config)
    val files = Vector.newBuilder[FlushedFile]
    def take(finished: Vector[FlushedFile]): Unit = {
      finished.foreach(notePaths)
      files ++= finished
    }
    val stored = new TableFlush.StoredPages(FlushInput.of(session, spec, _))
    val pages = new FlushPages(spec, stored)
    val few = new FewVersions(pages)
    // The transaction that reads the rows ends before the first row is written.
    base.readVersions(table, inlined, FlushSpec.keyColumns(table), few)
    few.all.foreach { versions =>
      if (versions.nonEmpty) take(FlushWriter.write(spec, versions, Vector.empty, conf))
    }
    pages.finish()
    writeInTasks(spec, FlushInput.together(stored.inputs), take)
    val read = few.all.fold(pages.size)(_.size.toLong)
    FlushedRows(inlined.table.name, inlined.columns, read, files.result())
  }

  private def writeInTasks(
      spec: FlushSpec,
      inputs: Vector[FlushInput],
      take: Vector[FlushedFile] => Unit,
  ): Unit = {
    plannedPaths = inputs.flatMap(_.paths).map(tableSpec.hadoopDirectory + _)
    if (inputs.nonEmpty) {
      val job = s"flush_inlined_data of ${table.qualifiedName}: ${inputs.size} parts"
      FlushJob.run(session, job, lake.config.hadoop, spec, inputs, take)
    }
    plannedPaths = Vector.empty
  }

  private def notePaths(file: FlushedFile): Unit =
    writtenPaths ++= (file.file.path +: file.deletes.map(_.path).toVector)
      .map(tableSpec.hadoopDirectory + _)

  private def deletes(inlined: Vector[InlinedDeleteHistory]): Vector[FlushedDeletes] = {
    val all = inlined.map(DeletesToFlush.of(_, tableSpec.table))
    plannedPaths = all.flatMap(_.names.known).map(tableSpec.hadoopDirectory + _)
    val files = FlushedDeletesJob.write(tableSpec, all, conf)
    writtenPaths ++= files.values.map(tableSpec.hadoopDirectory + _.path)
    plannedPaths = Vector.empty
    inlined.map { each =>
      val replaced = each.deleteFiles.map(past => (past.file.id, past.scheduledPath))
      FlushedDeletes(each.file, each.ended, replaced, files(each.file))
    }
  }
}

private object TableFlush {

  /** Keeps the inputs of tasks, whose versions Spark stores. */
  private final class StoredPages(store: Vector[RowVersion] => FlushInput)
      extends FlushPages.Taker {
    var inputs: Vector[FlushInput] = Vector.empty

    def begin(): Unit = inputs = Vector.empty

    def page(versions: Vector[RowVersion]): Unit = inputs :+= store(versions)
  }
}
