package ducklake.spark.maintenance.compact

import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.AwaitedJob
import ducklake.spark.sparkapi.TaskAttempt
import org.apache.spark.sql.classic.SparkSession

import scala.util.control.NonFatal

/** Replaces groups of files in Spark tasks, each group in a task of its own. */
private[maintenance] object CompactionJob {

  /** @param description of the job in Spark's UI
    * @param inputs at least one
    * @param taken gets the file of each task that ended well, also when others fail
    *
    * Errors: those of tasks; StatementInterrupted.
    */
  def run(
      lake: SessionLake,
      description: String,
      spec: CompactionSpec,
      inputs: Vector[CompactionInput],
      taken: CompactionOutput => Unit,
  ): Unit = {
    val session = SparkSession.active
    val context = session.sparkContext
    val conf = WriteHadoopConf.broadcast(session, lake.config.hadoop)
    val compact = (groups: Iterator[CompactionInput]) =>
      inTask {
        val written = groups.map(new CompactionTask(spec, _, conf.value.value).run()).toVector
        val files = written.flatMap(_.written).map(_.file)
        TaskAttempt.wrote(files.map(_.recordCount).sum, files.map(_.sizeBytes).sum)
        TaskAttempt.claim()
        written
      }
    val take = (_: Int, written: Vector[CompactionOutput]) => written.foreach(taken)
    val distributed = context.parallelize(inputs, inputs.size)
    try
      AwaitedJob.run(context, description, "compacted files") {
        context.submitJob(distributed, compact, inputs.indices, take, ())
      }
    catch { case NonFatal(failure) => throw SparkErrors.behind(failure).getOrElse(failure) }
    finally conf.destroy()
  }
}
