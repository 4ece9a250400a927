package ducklake.spark.maintenance.cleanup

import ducklake.files.FileRemoval
import ducklake.files.Undeleted
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.ParallelJob
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession

/** Deletes files by Spark tasks. */
private[cleanup] object FileDeletion {

  /** Deletes the files and waits. Returns those that could not be deleted; a file that does not exist
    * counts as deleted.
    *
    * @param paths in DuckDB's spelling
    *
    * Errors: StatementInterrupted; some of the files are deleted then.
    */
  def run(lake: SessionLake, description: String, paths: Vector[String]): Vector[Undeleted] = {
    val session = SparkSession.active
    val context = session.sparkContext
    val conf = WriteHadoopConf.broadcast(session, lake.config.hadoop)
    val job = s"$description: ${paths.size} files"
    try
      ParallelJob.run(context, job, paths, FilesPerTask, "deleted files") { some =>
        FileRemoval.run(some.toVector, conf.value.value)
      }
    finally conf.destroy()
  }

  private val FilesPerTask = 100
}
