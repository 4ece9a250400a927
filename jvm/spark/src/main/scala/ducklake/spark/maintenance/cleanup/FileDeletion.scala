package ducklake.spark.maintenance.cleanup

import ducklake.catalog.error.LakeException
import ducklake.files.io.FileRemoval
import ducklake.files.io.Undeleted
import ducklake.files.path.PathResolver
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession

/** Deletes files by Spark tasks. The driver resolves the paths, because a relative path starts at
  * the driver's working directory. A task would look elsewhere, and a missing file counts as
  * deleted.
  */
private[cleanup] object FileDeletion {

  /** Deletes the files and waits. Returns the files that could not be deleted; a file that does not
    * exist counts as deleted.
    *
    * @param paths in DuckDB's spelling
    *
    * Errors: StatementInterrupted; some of the files may be deleted then.
    */
  def run(lake: SessionLake, description: String, paths: Vector[String]): Vector[Undeleted] = {
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val all = s"$description: ${paths.size} files"
    val job = new LakeJob(session.sparkContext, all, "deleted files", conf)
    val (unknown, targets) = paths.partitionMap(target)
    val left = ParallelJob.run(job, targets.map(_.opened), FilesPerTask) { (some, settings) =>
      FileRemoval.run(some.toVector, settings)
    }
    val reasons = left.map(file => file.path -> file.why).toMap
    unknown ++ targets.flatMap { file =>
      reasons.get(file.opened).map(Undeleted(file.path, _))
    }
  }

  private def target(path: String): Either[Undeleted, Target] =
    try Right(Target(path, PathResolver.hadoopPath(path)))
    catch { case unknown: LakeException => Left(Undeleted(path, unknown.getMessage)) }

  /** @param path in DuckDB's spelling
    * @param opened in Hadoop's form
    */
  private final case class Target(path: String, opened: String)

  private val FilesPerTask = 100
}
