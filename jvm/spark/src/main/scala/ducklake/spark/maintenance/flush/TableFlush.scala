package ducklake.spark.maintenance.flush

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.FlushedDeletes
import ducklake.catalog.change.FlushedFile
import ducklake.catalog.change.FlushedRows
import ducklake.catalog.change.Operation
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.InlinedDeleteHistory
import ducklake.catalog.read.InlinedTableHistory
import ducklake.catalog.read.RowVersion
import ducklake.catalog.read.VersionPage
import ducklake.files.DeleteFileReader
import ducklake.files.FileNames
import ducklake.files.PathResolver
import ducklake.files.SnapshotPositions
import ducklake.spark.config.WriteConfig
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.classic.SparkSession

/** Writes the inlined data of a table to files: every version of every row, and the inlined deletes
  * of rows in data files.
  *
  * @param base the last snapshot whose inlined data is written
  */
private[flush] final class TableFlush(
    session: SparkSession,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {
  private val conf = WriteHadoopConf.ofSession(session)
  private val paths = PathResolver(None)
  private val tableSpec = FlushSpec.of(table, table.columns, config)

  // The paths of written files, noted on one thread. The files are deleted when the flush fails.
  private var writtenPaths: Vector[String] = Vector.empty

  /** The files that have been written so far. */
  def written: WrittenFiles = WrittenFiles(writtenPaths)

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
        history.deletes.map(deletes),
        history.deletesTable,
      )
    }
  }

  private def rows(inlined: InlinedTableHistory): FlushedRows = {
    val spec = FlushSpec.of(table, inlined.columns, config)
    val isSmall = inlined.versions <= TableFlush.SliceRows
    val tasks = math.min(session.sparkContext.defaultParallelism, TableFlush.MostSlices)
    val wave = if (isSmall) 1 else math.max(1, tasks)
    val files = Vector.newBuilder[FlushedFile]
    def take(finished: Vector[FlushedFile]): Unit = {
      finished.foreach(notePaths)
      files ++= finished
    }
    var read = 0L
    slices(inlined).grouped(wave).foreach { group =>
      read += group.map(_.size.toLong).sum
      if (isSmall) group.foreach(slice => take(FlushWriter.write(spec, slice, conf)))
      else FlushJob.run(session, spec, group.toVector, take)
    }
    FlushedRows(inlined.table.name, inlined.columns, read, files.result())
  }

  private def notePaths(file: FlushedFile): Unit =
    writtenPaths ++= (file.file.path +: file.deletes.map(_.path).toVector)
      .map(tableSpec.hadoopDirectory + _)

  private def slices(inlined: InlinedTableHistory): Iterator[Vector[RowVersion]] = {
    val keys = FlushSpec.keyColumns(table)
    def read(after: Option[RowVersion]): Vector[RowVersion] =
      base.rowVersions(table, inlined, keys, VersionPage(after, TableFlush.SliceRows))
    Iterator
      .iterate(read(None))(slice => if (isLast(slice)) Vector.empty else read(slice.lastOption))
      .takeWhile(_.nonEmpty)
  }

  private def isLast(slice: Vector[RowVersion]): Boolean = slice.size < TableFlush.SliceRows

  /** Writes one delete file for a data file. It has the inlined deletes and the deletes of all
    * delete files that the data file has had, so it holds the whole history of its deletes.
    */
  private def deletes(inlined: InlinedDeleteHistory): FlushedDeletes = {
    val inCatalog = SnapshotPositions(inlined.positions.map { case (position, by) =>
      (position, by.value)
    })
    val all = inlined.deleteFiles.foldLeft(inCatalog) { (known, past) =>
      val file = past.file
      val path = paths.hadoopPath(file.path)
      known.union(
        DeleteFileReader.readWithSnapshots(
          path,
          tableSpec.table,
          file.format,
          file.begin.value,
          conf,
        )
      )
    }
    val name = FileNames.deleteFile()
    writtenPaths :+= tableSpec.hadoopDirectory + name
    FlushedDeletes(
      inlined.file,
      inlined.ended,
      inlined.deleteFiles.map(past => (past.file.id, past.scheduledPath)),
      FlushWriter.deleteFile(tableSpec, name, inlined.path, all, conf),
    )
  }
}

private[flush] object TableFlush {

  /** The number of rows that are read at once and written to one file. Tasks write the rows of a
    * larger table.
    */
  val SliceRows: Int = 100000

  /** The largest number of slices that the driver holds at once. */
  val MostSlices: Int = 8
}
