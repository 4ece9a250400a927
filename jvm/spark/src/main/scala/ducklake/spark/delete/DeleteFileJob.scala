package ducklake.spark.delete

import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.DeleteFileCache
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.StoredDeletes
import ducklake.files.io.Storage
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.job.DiscardJob
import ducklake.spark.job.LakeJob
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** A data file whose deleted rows change.
  *
  * @param path of the data file, in DuckDB's spelling
  * @param before its live delete files, with all their positions
  * @param isEncrypted whether its new delete file is encrypted
  * @param inlined its inlined deletes, which the delete file leaves out
  * @param endsAt the number of its rows, when it ends if all of them are deleted
  * @param positions the rows that are deleted now
  * @param names of its new delete file
  */
private[delete] final case class DeleteJobInput(
    file: DataFileId,
    path: String,
    before: Vector[StoredDeletes],
    isEncrypted: Boolean,
    inlined: Array[Long],
    endsAt: Option[Long],
    positions: CompressedPositions,
    names: AttemptNames,
) {
  def positionCount: Long = before.map(_.rows).sum + positions.size + inlined.length
}

/** The result for a data file. */
private[delete] sealed trait DeleteJobResult {
  def file: DataFileId
}

private[delete] object DeleteJobResult {

  /** The file has a new delete file. */
  final case class Written(file: DataFileId, deletes: NamedDeleteFile) extends DeleteJobResult

  /** All rows of the file are deleted. */
  final case class Emptied(file: DataFileId) extends DeleteJobResult

  /** Some of the rows were deleted before. Nothing was written. */
  final case class Overlapping(file: DataFileId) extends DeleteJobResult
}

/** @param name the path relative to the table's directory */
private[delete] final case class NamedDeleteFile(
    name: String,
    count: Long,
    physical: PhysicalFile,
)

/** Writes delete files: few and small ones on the driver, others in Spark tasks.
  *
  * @param directory the table's directory in Hadoop's form, ending in a separator
  * @param table its name, for messages
  */
private[delete] final class DeleteFileJob(directory: String, table: String, conf: Configuration) {

  /** Writes the delete files of these data files. After an error all of them are deleted.
    *
    * Errors: UnwritableFile, UnreadableFile; StatementInterrupted; errors of tasks are Spark's
    * exceptions, with our error as their cause.
    */
  def write(changed: Vector[DeleteJobInput]): Vector[DeleteJobResult] = {
    var done = Vector.empty[DeleteJobResult]
    try {
      if (FileGroups.areForDriver(changed)(_.positionCount))
        changed.foreach(each => done :+= DeleteFileJob.writeOne(each, directory, table, conf))
      else inTasks(changed, more => done ++= more)
      done
    } catch {
      case failure: Throwable =>
        discard(done, changed.flatMap(_.names.known))
        throw failure
    }
  }

  /** Deletes the delete files. */
  def discard(done: Vector[DeleteJobResult], others: Vector[String]): Unit = {
    val names = done.collect { case DeleteJobResult.Written(_, deletes) => deletes.name } ++ others
    DiscardJob.run(names.distinct.map(directory + _), conf)
  }

  private def inTasks(
      changed: Vector[DeleteJobInput],
      taken: Vector[DeleteJobResult] => Unit,
  ): Unit = {
    val (folder, name) = (directory, table)
    val groups =
      FileGroups.of(changed) { each =>
        each.positions.sizeBytes + each.inlined.length * java.lang.Long.BYTES
      }
    val context = SparkSession.active.sparkContext
    val description = s"Writing delete files of $name: ${changed.size} files"
    val job = new LakeJob(context, description, "wrote delete files", conf)
    job.write(job.oneEach(groups), taken) { (some, settings) =>
      some.flatten.map(DeleteFileJob.writeOne(_, folder, name, settings)).toVector
    }
  }
}

private[delete] object DeleteFileJob {

  /** All deleted positions of the file go to its delete file, unless the file ends. */
  private def writeOne(
      changed: DeleteJobInput,
      directory: String,
      table: String,
      conf: Configuration,
  ): DeleteJobResult = {
    val every = DeleteFileCache.EverySnapshot
    val before = DeleteFileCache.allPositions(changed.before, every, table, conf)
    val united = before.union(changed.positions.positions)
    val positions = united.minus(DeletedPositions(changed.inlined))
    if (united.size.toLong < before.size + changed.positions.size)
      DeleteJobResult.Overlapping(changed.file)
    else if (changed.endsAt.exists(_ <= positions.size.toLong))
      DeleteJobResult.Emptied(changed.file)
    else {
      val name = changed.names.of(TaskAttempt.number)(FileNames.deleteFile())
      val path = directory + name
      TaskAttempt.onLoss(Storage.discard(Vector(path), conf))
      val physical =
        try {
          val target = NewDeletes(path, changed.path, table, changed.isEncrypted)
          DeleteFileWriter.write(target, positions, conf)
        } catch {
          case failure: Throwable =>
            Storage.discard(Vector(path), conf)
            throw failure
        }
      val file = NamedDeleteFile(name, positions.size.toLong, physical)
      DeleteJobResult.Written(changed.file, file)
    }
  }
}
