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

/** Writes all that the catalog keeps of a table into files: every version of every row, and the deletes
  * of rows of files.
  *
  * @param base the snapshot up to which
  */
private[flush] final class TableFlush(
    session: SparkSession,
    base: LakeSnapshot,
    table: LakeTable,
    config: WriteConfig,
) {
  private val conf = WriteHadoopConf.ofSession(session)
  private val paths = PathResolver(None)
  private val plain = FlushSpec.of(table, table.columns, config)

  // Filled as files are finished, on one thread; what is in it is deleted when the flush fails.
  private var made: Vector[String] = Vector.empty

  def written: WrittenFiles = WrittenFiles(made)

  /** None when there is nothing to flush.
    *
    * Errors: InvalidValue for a value that no file can hold; UnwritableFile, UnreadableFile. The caller
    * deletes the files then.
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

  private def rows(kept: InlinedTableHistory): FlushedRows = {
    val spec = FlushSpec.of(table, kept.columns, config)
    val isSmall = kept.versions <= TableFlush.SliceRows
    val tasks = math.min(session.sparkContext.defaultParallelism, TableFlush.MostSlices)
    val wave = if (isSmall) 1 else math.max(1, tasks)
    val files = Vector.newBuilder[FlushedFile]
    def take(some: Vector[FlushedFile]): Unit = {
      some.foreach(note)
      files ++= some
    }
    var read = 0L
    slices(kept).grouped(wave).foreach { some =>
      read += some.map(_.size.toLong).sum
      if (isSmall) some.foreach(slice => take(FlushWriter.write(spec, slice, conf)))
      else FlushJob.run(session, spec, some.toVector, take)
    }
    FlushedRows(kept.table.name, kept.columns, read, files.result())
  }

  private def note(file: FlushedFile): Unit =
    made ++= (file.file.path +: file.deletes.map(_.path).toVector).map(plain.hadoopDirectory + _)

  private def slices(kept: InlinedTableHistory): Iterator[Vector[RowVersion]] = {
    val keys = FlushSpec.keyColumns(table)
    def read(after: Option[RowVersion]): Vector[RowVersion] =
      base.rowVersions(table, kept, keys, VersionPage(after, TableFlush.SliceRows))
    Iterator
      .iterate(read(None))(slice => if (isLast(slice)) Vector.empty else read(slice.lastOption))
      .takeWhile(_.nonEmpty)
  }

  private def isLast(slice: Vector[RowVersion]): Boolean = slice.size < TableFlush.SliceRows

  /** Deletes in the catalog, together with those of all delete files that the data file had: one file
    * that tells the whole of its history.
    */
  private def deletes(kept: InlinedDeleteHistory): FlushedDeletes = {
    val inCatalog = SnapshotPositions(kept.positions.map { case (position, by) =>
      (position, by.value)
    })
    val all = kept.deleteFiles.foldLeft(inCatalog) { (known, past) =>
      val file = past.file
      val path = paths.hadoopPath(file.path)
      known.union(
        DeleteFileReader.readWithSnapshots(path, plain.table, file.format, file.begin.value, conf)
      )
    }
    val name = FileNames.deleteFile()
    made :+= plain.hadoopDirectory + name
    FlushedDeletes(
      kept.file,
      kept.ended,
      kept.deleteFiles.map(past => (past.file.id, past.scheduledPath)),
      FlushWriter.deleteFile(plain, name, kept.path, all, conf),
    )
  }
}

private[flush] object TableFlush {

  /** Rows that are read at once and written into one file; more than them are written by tasks. */
  val SliceRows: Int = 100000

  /** Slices that the driver holds at once. */
  val MostSlices: Int = 8
}
