package ducklake.spark.maintenance.flush

import ducklake.catalog.change.operation.FlushedFile
import ducklake.spark.config.HadoopSettings
import ducklake.spark.job.Broadcasts
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import org.apache.spark.sql.classic.SparkSession

/** Writes many row versions by Spark tasks. */
private[flush] object FlushJob {

  /** Runs the tasks and waits for their end.
    *
    * @param description of the job
    * @param own settings with which the files are opened
    * @param inputs each becomes a task; at least one
    * @param onFiles gets the files of each task that succeeded, also when other tasks fail. It is
    *   never called after this method has ended
    *
    * Errors: StatementInterrupted. Errors of tasks are Spark's exceptions, with our error as their
    * cause. After an error the caller deletes all paths of the inputs.
    */
  def run(
      session: SparkSession,
      description: String,
      own: HadoopSettings,
      spec: FlushSpec,
      inputs: Vector[FlushInput],
      onFiles: Vector[FlushedFile] => Unit,
  ): Unit = {
    val conf = WriteHadoopConf.ofSession(session, own)
    val job = new LakeJob(session.sparkContext, description, "wrote files", conf)
    try
      job.write(job.oneEach(inputs), onFiles) { (each, settings) =>
        each.toVector.flatMap { input =>
          // The driver would hold the versions of all files.
          FlushWriter
            .write(spec, input.versions, input.names, settings)
            .map(_.copy(versions = None))
        }
      }
    finally Broadcasts.remove(inputs.flatMap(_.stored): _*)
  }
}
