package ducklake.spark.moving

import ducklake.files.delete.DeleteFileCache
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.StoredDeletes
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** The deletes that a data file had before. */
private[moving] sealed trait EarlierDeletes

private[moving] object EarlierDeletes {

  final case class OfSource(file: SourceFile) extends EarlierDeletes

  /** @param snapshot of the lake at which they are read */
  final case class OfLake(stored: Vector[StoredDeletes], snapshot: Long) extends EarlierDeletes

  /** All rows were deleted. */
  case object Everything extends EarlierDeletes
}

/** Finds files with deleted rows that are there again, in tasks. The numbers of deletes do not say it: a
  * table that was set back may have others.
  *
  * @param table for messages
  */
private[moving] final class ReturnedRows(table: String, conf: Configuration) {

  /** Whether a file has rows that it had lost, for each file with its deletes before.
    *
    * Errors: UnreadableFile; StatementInterrupted.
    */
  def among(files: Vector[(EarlierDeletes, SourceFile)]): Vector[Boolean] =
    if (files.isEmpty) Vector.empty
    else {
      val name = table
      val context = SparkSession.active.sparkContext
      val description = s"Reading deletes of $name: ${files.size} files"
      val job = new LakeJob(context, description, "read deletes", conf)
      ParallelJob.run(job, files, 1) { (some, settings) =>
        ReturnedRows.ofTask(some.toVector, name, settings)
      }
    }
}

private object ReturnedRows {

  private def ofTask(
      files: Vector[(EarlierDeletes, SourceFile)],
      table: String,
      conf: Configuration,
  ): Vector[Boolean] = {
    val all = files.flatMap {
      case (EarlierDeletes.OfSource(before), now) => Vector(before, now)
      case (EarlierDeletes.OfLake(_, _) | EarlierDeletes.Everything, now) => Vector(now)
    }
    val source = new SourcePositions(all, table, conf)
    files.map { case (before, now) =>
      val positions = source.ofVersions(Vector(now)).next()
      val lost = before match {
        case EarlierDeletes.OfSource(file) => source.ofVersions(Vector(file)).next()
        case EarlierDeletes.OfLake(stored, snapshot) =>
          DeleteFileCache.allPositions(stored, snapshot, table, conf)
        case EarlierDeletes.Everything => everything(now)
      }
      !lost.minus(positions).isEmpty
    }
  }

  private def everything(file: SourceFile): DeletedPositions =
    DeletedPositions.empty.others(file.recordCount.getOrElse(0L))
}
