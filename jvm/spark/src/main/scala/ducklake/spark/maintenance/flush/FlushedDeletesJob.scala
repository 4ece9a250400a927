package ducklake.spark.maintenance.flush

import ducklake.catalog.change.operation.SnapshotDeleteFile
import ducklake.catalog.listing.InlinedDeleteHistory
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeleteFileReader
import ducklake.files.delete.SnapshotPositions
import ducklake.files.delete.StoredDeletes
import ducklake.files.io.Storage
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.delete.FileGroups
import ducklake.spark.job.LakeJob
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** A data file whose inlined deletes go to a delete file.
  *
  * @param path of the data file, in DuckDB's spelling
  * @param positions the inlined deletes, increasing
  * @param snapshots for each position the snapshot that deleted it
  * @param past all delete files that the data file has or had, with their begin snapshots
  * @param names of its new delete file
  */
private[flush] final case class DeletesToFlush(
    file: DataFileId,
    path: String,
    positions: Array[Long],
    snapshots: Array[Long],
    past: Vector[(StoredDeletes, Long)],
    names: AttemptNames,
) {
  def positionCount: Long = past.map(_._1.rows).sum + positions.length

  def sizeBytes: Int = 2 * positions.length * java.lang.Long.BYTES
}

private[flush] object DeletesToFlush {

  /** @param table for messages */
  def of(history: InlinedDeleteHistory, table: String): DeletesToFlush =
    DeletesToFlush(
      history.file,
      history.path,
      history.positions,
      history.snapshots,
      history.deleteFiles.map { past =>
        (StoredDeletes.of(past.file, history.recordCount, table), past.file.begin.value)
      },
      AttemptNames.next(FileNames.deleteFile()),
    )
}

/** Writes the delete files of data files with inlined deletes: few and small ones on the driver,
  * others in Spark tasks.
  */
private[flush] object FlushedDeletesJob {

  /** The new delete files. Each has the inlined deletes and the deletes of all delete files that
    * the data file has had, so it holds the whole history of its deletes.
    *
    * Errors: UnwritableFile, UnreadableFile; StatementInterrupted; errors of tasks are Spark's
    * exceptions, with our error as their cause. After an error the caller deletes all files with
    * the given names.
    */
  def write(
      spec: FlushSpec,
      all: Vector[DeletesToFlush],
      conf: Configuration,
  ): Map[DataFileId, SnapshotDeleteFile] =
    if (FileGroups.areForDriver(all)(_.positionCount))
      all.map(each => each.file -> one(spec, each, conf)).toMap
    else {
      var done = Map.empty[DataFileId, SnapshotDeleteFile]
      val take = (files: Vector[(DataFileId, SnapshotDeleteFile)]) => done ++= files
      val groups = FileGroups.of(all)(_.sizeBytes)
      val context = SparkSession.active.sparkContext
      val description = s"flush_inlined_data of ${spec.table}: delete files of ${all.size} files"
      val job = new LakeJob(context, description, "wrote delete files", conf)
      job.write(job.oneEach(groups), take) { (some, settings) =>
        some.flatten.map(each => each.file -> one(spec, each, settings)).toVector
      }
      done
    }

  private def one(
      spec: FlushSpec,
      deletes: DeletesToFlush,
      conf: Configuration,
  ): SnapshotDeleteFile = {
    val inCatalog = SnapshotPositions.of(deletes.positions, deletes.snapshots)
    val all = deletes.past.foldLeft(inCatalog) { case (known, (file, begin)) =>
      known.union(DeleteFileReader.readWithSnapshots(file, spec.table, begin, conf))
    }
    val name = deletes.names.of(TaskAttempt.number)(FileNames.deleteFile())
    TaskAttempt.onLoss(Storage.discard(Vector(spec.hadoopDirectory + name), conf))
    FlushWriter.deleteFile(spec, name, deletes.path, all, conf)
  }
}
