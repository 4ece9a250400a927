package ducklake.spark.maintenance.flush

import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.SnapshotDeleteFile
import ducklake.catalog.change.operation.VersionKey
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.SnapshotPositions
import ducklake.files.io.FileFailure
import ducklake.files.io.Storage
import ducklake.files.io.WholeFile
import ducklake.files.path.FileNames
import ducklake.spark.parquet.write.LiteralRowWriter
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration

/** Writes row versions to data files, and a delete file for the versions that have ended. The same
  * code runs on the driver and in tasks.
  */
object FlushWriter {

  /** Writes the files. Errors: UnwritableFile, InvalidValue; then the written files are deleted.
    *
    * @param names of the files, in the order of [[FlushedPositions]]; new names for further files
    */
  def write(
      spec: FlushSpec,
      versions: Vector[RowVersion],
      names: Vector[FlushNames],
      conf: Configuration,
  ): Vector[FlushedFile] = {
    var paths = Vector.empty[String]
    def register(name: String): String = {
      paths :+= spec.hadoopDirectory + name
      name
    }
    // A task also deletes its files when another attempt was faster, or the job was cancelled.
    TaskAttempt.onLoss(Storage.discard(paths, conf))
    val fileConf = WriteHadoopConf.forFiles(conf, spec.config)
    try
      FlushedPositions.of(versions, spec.keys).zipWithIndex.map { case ((key, rows), index) =>
        val ofFile = names.lift(index).getOrElse(FlushNames.next())
        val sorted = FlushOrder.sorted(rows, spec.sort)
        file(spec, key.partition, sorted, ofFile, fileConf)(register)
      }
    catch {
      case failure: Throwable =>
        Storage.discard(paths, conf)
        throw failure
    }
  }

  private def file(
      spec: FlushSpec,
      partition: Option[Vector[Option[String]]],
      versions: Vector[RowVersion],
      names: FlushNames,
      conf: Configuration,
  )(register: String => String): FlushedFile = {
    val attempt = TaskAttempt.number
    val path = register(spec.folder(partition) + names.data.of(attempt)(FileNames.dataFile()))
    val data = dataFile(spec, path, partition, versions, conf)
    val begins = versions.map(_.begin.value)
    val ended = SnapshotPositions(versions.zipWithIndex.flatMap { case (version, position) =>
      version.end.map(end => (position.toLong, end.value))
    })
    val deletes = Option.unless(ended.isEmpty) {
      val name = register(names.deletes.of(attempt)(FileNames.deleteFile()))
      deleteFile(spec, name, spec.directory + path, ended, conf)
    }
    val span = SnapshotRange(SnapshotId(begins.min), SnapshotId(begins.max))
    val keys = versions.map(version => VersionKey(version.rowId, version.begin))
    FlushedFile(data, span, deletes, Some(keys))
  }

  private def dataFile(
      spec: FlushSpec,
      path: String,
      partition: Option[Vector[Option[String]]],
      versions: Vector[RowVersion],
      conf: Configuration,
  ): NewDataFile = {
    val full = spec.hadoopDirectory + path
    val exact = ExactColumns.of(spec.columns, versions.map(_.values))
    val columns = exact.columns ++ spec.lineage
    val rows = FileFailure.writing(full, spec.table) {
      val file = new LiteralRowWriter(full, columns, spec.config, conf)
      WholeFile.written(file.abort(), file.close()) {
        versions.foreach { version =>
          val own = Vector(version.rowId, version.begin.value).take(spec.lineage.size)
          file.write(exact.values(version.values) ++ own.map(Literal.Integral(_)))
        }
        file
      }
    }
    NewDataFile(
      path,
      versions.size.toLong,
      rows.physical,
      if (spec.lineage.isEmpty) RowIds.Fresh else RowIds.Embedded,
      partition,
      rows.statistics(),
    )
  }

  /** Writes a delete file.
    *
    * @param name the file's path relative to the table's folder
    * @param dataFile the full path of the data file, in DuckDB's spelling
    */
  def deleteFile(
      spec: FlushSpec,
      name: String,
      dataFile: String,
      positions: SnapshotPositions,
      conf: Configuration,
  ): SnapshotDeleteFile = {
    val path = spec.hadoopDirectory + name
    val target = NewDeletes(path, dataFile, spec.table, spec.config.isEncrypted)
    val written = DeleteFileWriter.writeWithSnapshots(target, positions, conf)
    SnapshotDeleteFile(
      name,
      positions.size.toLong,
      written,
      SnapshotRange(SnapshotId(positions.firstSnapshot), SnapshotId(positions.lastSnapshot)),
    )
  }
}
