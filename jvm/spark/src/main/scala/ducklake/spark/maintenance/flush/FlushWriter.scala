package ducklake.spark.maintenance.flush

import ducklake.catalog.change.FlushedFile
import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.RowIds
import ducklake.catalog.change.SnapshotDeleteFile
import ducklake.catalog.change.SnapshotRange
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.partition.HivePath
import ducklake.catalog.read.RowVersion
import ducklake.catalog.types.Literal
import ducklake.files.DeleteFileWriter
import ducklake.files.FileFailure
import ducklake.files.FileNames
import ducklake.files.SnapshotPositions
import ducklake.files.Storage
import ducklake.spark.parquet.write.LiteralRows
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.TaskAttempt
import ducklake.spark.write.EmbeddedColumns
import org.apache.hadoop.conf.Configuration

/** Writes versions of rows: data files with all of them, and a delete file for those that ended. The
  * same code on the driver and in tasks.
  */
object FlushWriter {

  /** Errors: UnwritableFile, InvalidValue; what was written is deleted then. */
  def write(
      spec: FlushSpec,
      versions: Vector[RowVersion],
      conf: Configuration,
  ): Vector[FlushedFile] = {
    var made = Vector.empty[String]
    def named(name: String): String = {
      made :+= spec.hadoopDirectory + name
      name
    }
    // In a task, also when another attempt was faster, or the job was cancelled.
    TaskAttempt.onLoss(Storage.discard(made, conf))
    val own = WriteHadoopConf.forFiles(conf, spec.config)
    try
      FlushedPositions.of(versions, spec.keys).map { case (place, rows) =>
        file(spec, place.partition, FlushOrder.sorted(rows, spec.sort), own)(named)
      }
    catch {
      case failure: Throwable =>
        Storage.discard(made, conf)
        throw failure
    }
  }

  private def file(
      spec: FlushSpec,
      partition: Option[Vector[Option[String]]],
      versions: Vector[RowVersion],
      conf: Configuration,
  )(named: String => String): FlushedFile = {
    val folder = partition.filter(_ => spec.config.usesHiveFolders).fold("") { values =>
      HivePath.folder(spec.keys.map(_.folder), values)
    }
    val path = named(folder + FileNames.dataFile())
    val data = dataFile(spec, path, partition, versions, conf)
    val begins = versions.map(_.begin.value)
    val ended = SnapshotPositions(versions.zipWithIndex.flatMap { case (version, position) =>
      version.end.map(end => (position.toLong, end.value))
    })
    val deletes = Option.unless(ended.isEmpty) {
      val name = named(FileNames.deleteFile())
      deleteFile(spec, name, spec.directory + path, ended, conf)
    }
    FlushedFile(data, SnapshotRange(SnapshotId(begins.min), SnapshotId(begins.max)), deletes)
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
    val columns = exact.columns ++ Vector(EmbeddedColumns.rowId, EmbeddedColumns.snapshotId)
    val rows = FileFailure.writing(full, spec.table) {
      val opened = new LiteralRows(full, columns, spec.config, conf)
      try
        versions.foreach { version =>
          val known = Vector(version.rowId, version.begin.value).map(Literal.Integral(_))
          opened.write(exact.values(version.values) ++ known)
        }
      finally opened.close()
      opened
    }
    NewDataFile(
      path,
      versions.size.toLong,
      rows.sizeBytes,
      rows.footerSize,
      RowIds.Embedded,
      partition,
      rows.statistics(),
    )
  }

  /** @param name relative to the table's folder
    * @param dataFile full, in DuckDB's spelling
    */
  def deleteFile(
      spec: FlushSpec,
      name: String,
      dataFile: String,
      positions: SnapshotPositions,
      conf: Configuration,
  ): SnapshotDeleteFile = {
    val path = spec.hadoopDirectory + name
    val written = DeleteFileWriter.writeWithSnapshots(path, dataFile, positions, spec.table, conf)
    SnapshotDeleteFile(
      name,
      positions.size.toLong,
      written.sizeBytes,
      written.footerSize,
      SnapshotRange(SnapshotId(positions.firstSnapshot), SnapshotId(positions.lastSnapshot)),
    )
  }
}
