package ducklake.spark.maintenance.merge

import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.AwaitedJob
import ducklake.spark.sparkapi.NamedJob
import ducklake.spark.sparkapi.TaskAttempt
import org.apache.spark.sql.classic.SparkSession

import scala.util.control.NonFatal

/** Merges groups of files in Spark tasks, each group in a task of its own. */
private[merge] object MergeJob {

  /** @param description of the job in Spark's UI
    * @param inputs at least one
    * @param taken gets the file of each task that ended well, also when others fail
    *
    * Errors: those of tasks; StatementInterrupted.
    */
  def run(
      session: SparkSession,
      description: String,
      spec: MergeSpec,
      inputs: Vector[MergeInput],
      taken: MergeOutput => Unit,
  ): Unit = {
    val context = session.sparkContext
    val conf = WriteHadoopConf.broadcast(session)
    val merge = (groups: Iterator[MergeInput]) =>
      inTask {
        val written = groups.map(new MergeTask(spec, _, conf.value.value).run()).toVector
        TaskAttempt.wrote(written.map(_.file.recordCount).sum, written.map(_.file.sizeBytes).sum)
        TaskAttempt.claim()
        written
      }
    val take = (_: Int, written: Vector[MergeOutput]) => written.foreach(taken)
    val ended =
      try
        NamedJob.run(context, description) {
          val distributed = context.parallelize(inputs, inputs.size)
          AwaitedJob.result(context.submitJob(distributed, merge, inputs.indices, take, ()))
        }
      catch { case NonFatal(failure) => throw SparkErrors.behind(failure).getOrElse(failure) }
      finally conf.destroy()
    ended.getOrElse(AwaitedJob.interrupted("merged files"))
  }
}
