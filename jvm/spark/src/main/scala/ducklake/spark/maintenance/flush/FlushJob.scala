package ducklake.spark.maintenance.flush

import ducklake.catalog.change.FlushedFile
import ducklake.catalog.read.RowVersion
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.AwaitedJob
import ducklake.spark.sparkapi.TaskAttempt
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

/** Writes many row versions by Spark tasks. */
private[flush] object FlushJob {

  /** Runs the tasks and waits for their end.
    *
    * @param slices row versions; each slice becomes a task
    * @param onFiles gets the files of each task that ended well, also when other tasks fail. It is
    *   never called after this method has ended
    *
    * Errors: StatementInterrupted. Errors of tasks are Spark's exceptions, with our error as their
    * cause.
    */
  def run(
      session: SparkSession,
      spec: FlushSpec,
      slices: Vector[Vector[RowVersion]],
      onFiles: Vector[FlushedFile] => Unit,
  ): Unit = {
    val conf = WriteHadoopConf.broadcast(session)
    // Broadcast, because the data of a task itself must not be large.
    val broadcasts = slices.map(session.sparkContext.broadcast(_))
    val write = (rows: Iterator[Broadcast[Vector[RowVersion]]]) =>
      inTask {
        val files =
          rows.toVector.flatMap(each => FlushWriter.write(spec, each.value, conf.value.value))
        TaskAttempt.claim()
        files
      }
    val distributed = session.sparkContext.parallelize(broadcasts, broadcasts.size)
    val take = (_: Int, files: Vector[FlushedFile]) => onFiles(files)
    val ended =
      try
        AwaitedJob.result(
          session.sparkContext.submitJob(distributed, write, broadcasts.indices, take, ())
        )
      finally (conf +: broadcasts).foreach(_.destroy())
    ended.getOrElse(AwaitedJob.interrupted("wrote files"))
  }
}
