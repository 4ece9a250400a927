package ducklake.spark.maintenance.rows

import ducklake.catalog.error.LakeException
import ducklake.spark.errors.SparkErrors.ofTasks
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

/** Replaces groups of files in Spark tasks, one task for each group. */
private[spark] object CompactionJob {

  private val log = LoggerFactory.getLogger(getClass)

  /** @param description of the job in Spark's UI
    * @param inputs at least one
    * @param taken gets the file of each task that succeeded, also when others fail
    *
    * Errors: errors of tasks; StatementInterrupted.
    */
  def run(
      lake: SessionLake,
      description: String,
      spec: CompactionSpec,
      inputs: Vector[CompactionInput],
      taken: CompactionOutput => Unit,
  ): Unit =
    submit(lake, description, inputs, taken)((input, settings) => written(spec, input, settings))

  /** Like [[run]], but the error of a group is its outcome, so that the other groups go on. Spark
    * has retried its task before, as often as it retries failed tasks.
    */
  def attempt(
      lake: SessionLake,
      description: String,
      spec: CompactionSpec,
      inputs: Vector[CompactionInput],
      taken: Either[CompactionFailure, CompactionOutput] => Unit,
  ): Unit = {
    val most = TaskAttempt.most(SparkSession.active.sparkContext)
    submit(lake, description, inputs, taken) { (input, settings) =>
      try Right(written(spec, input, settings))
      catch {
        case failure: LakeException if TaskAttempt.number + 1 >= most =>
          // The driver gets the error without its cause, which stays in the log of the executor.
          log.warn("A group of files of {} is not compacted", spec.table, failure)
          Left(CompactionFailure(input.number, failure.error))
      }
    }
  }

  private def written(
      spec: CompactionSpec,
      input: CompactionInput,
      settings: Configuration,
  ): CompactionOutput = {
    val output = new CompactionTask(spec, input, settings).run()
    output.written.map(_.file).foreach(file => TaskAttempt.wrote(file.recordCount, file.sizeBytes))
    output
  }

  private def submit[A](
      lake: SessionLake,
      description: String,
      inputs: Vector[CompactionInput],
      taken: A => Unit,
  )(one: (CompactionInput, Configuration) => A): Unit = {
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val job = new LakeJob(session.sparkContext, description, "compacted files", conf)
    val take = (done: Vector[A]) => done.foreach(taken)
    ofTasks {
      job.write(job.oneEach(inputs), take) { (groups, settings) =>
        groups.map(one(_, settings)).toVector
      }
    }
  }
}
