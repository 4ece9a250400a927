package ducklake.spark.maintenance.flush

import ducklake.catalog.change.FlushedFile
import ducklake.catalog.read.RowVersion
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.AwaitedJob
import ducklake.spark.sparkapi.TaskAttempt
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

/** Writes many versions of rows by Spark tasks. */
private[flush] object FlushJob {

  /** @param slices each becomes a task
    * @param taken is handed the files of each task that ended well, also when others fail; never after
    *   this method has ended
    *
    * Errors: StatementInterrupted; those of tasks are Spark's, with ours as their cause.
    */
  def run(
      session: SparkSession,
      spec: FlushSpec,
      slices: Vector[Vector[RowVersion]],
      taken: Vector[FlushedFile] => Unit,
  ): Unit = {
    val conf = WriteHadoopConf.broadcast(session)
    // Broadcast, for what goes with a task itself may not be large.
    val shipped = slices.map(session.sparkContext.broadcast(_))
    val write = (rows: Iterator[Broadcast[Vector[RowVersion]]]) =>
      inTask {
        val files =
          rows.toVector.flatMap(each => FlushWriter.write(spec, each.value, conf.value.value))
        TaskAttempt.claim()
        files
      }
    val distributed = session.sparkContext.parallelize(shipped, shipped.size)
    val take = (_: Int, files: Vector[FlushedFile]) => taken(files)
    val ended =
      try
        AwaitedJob.result(
          session.sparkContext.submitJob(distributed, write, shipped.indices, take, ())
        )
      finally (conf +: shipped).foreach(_.destroy())
    ended.getOrElse(AwaitedJob.interrupted("wrote files"))
  }
}
