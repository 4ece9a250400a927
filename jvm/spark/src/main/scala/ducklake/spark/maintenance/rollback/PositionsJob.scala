package ducklake.spark.maintenance.rollback

import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.DeleteFileCache
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.StoredDeletes
import ducklake.files.io.FileFailure
import ducklake.spark.delete.FileGroups
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** The deletes of a data file at a snapshot.
  *
  * @param inlined positions that are deleted in the catalog
  */
private[rollback] final case class DeletesAt(
    stored: Vector[StoredDeletes],
    snapshot: Long,
    inlined: Array[Long],
) {
  def count: Long = stored.map(_.rows).sum + inlined.length

  /** The deleted positions. Errors: like `DeleteFileReader.read`. */
  def positions(table: String, conf: Configuration): DeletedPositions =
    DeleteFileCache.allPositions(stored, snapshot, table, conf).union(DeletedPositions(inlined))
}

/** Positions of a data file that a rollback needs. */
private[rollback] sealed trait SoughtPositions {
  def file: DataFileId

  /** How many positions are in memory at once, at most. */
  def count: Long

  /** Errors: like `DeleteFileReader.read`. */
  def found(table: String, conf: Configuration): DeletedPositions
}

private[rollback] object SoughtPositions {

  /** Positions that were deleted since the past snapshot. */
  final case class DeletedSince(file: DataFileId, past: DeletesAt, present: DeletesAt)
      extends SoughtPositions {
    def count: Long = past.count + present.count

    def found(table: String, conf: Configuration): DeletedPositions =
      present.positions(table, conf).minus(past.positions(table, conf))
  }

  /** Positions of all live rows of the file.
    *
    * @param path of the file, for messages
    */
  final case class Remaining(file: DataFileId, path: String, rows: Long, deletes: DeletesAt)
      extends SoughtPositions {
    def count: Long = rows

    def found(table: String, conf: Configuration): DeletedPositions =
      FileFailure.naming(path, table)(deletes.positions(table, conf).others(rows))
  }
}

/** Reads delete files: few and small ones on the driver, others in Spark tasks. Only the compressed
  * result of each data file is kept.
  *
  * @param table its name, for messages
  */
private[rollback] final class PositionsJob(table: String, conf: Configuration) {

  /** The positions by data file. Files without positions are left out.
    *
    * Errors: UnreadableFile; EncryptedLake; StatementInterrupted.
    */
  def run(sought: Vector[SoughtPositions]): Map[DataFileId, CompressedPositions] = {
    val found =
      if (FileGroups.areForDriver(sought)(_.count))
        sought.map(PositionsJob.one(_, table, conf))
      else inTasks(sought)
    found.filterNot(_._2.isEmpty).toMap
  }

  private def inTasks(
      sought: Vector[SoughtPositions]
  ): Vector[(DataFileId, CompressedPositions)] = {
    val context = SparkSession.active.sparkContext
    val name = table
    val description = s"Reading the deletes of $name: ${sought.size} files"
    val job = new LakeJob(context, description, "read deletes", conf)
    ParallelJob.run(job, sought, PositionsJob.FilesPerTask) { (some, settings) =>
      some.map(PositionsJob.one(_, name, settings)).toVector
    }
  }
}

private[rollback] object PositionsJob {

  private val FilesPerTask = 16

  private def one(
      sought: SoughtPositions,
      table: String,
      conf: Configuration,
  ): (DataFileId, CompressedPositions) =
    sought.file -> CompressedPositions(sought.found(table, conf))
}
