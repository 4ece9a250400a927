package ducklake.spark.maintenance

import ducklake.catalog.change.FlushedFile
import ducklake.catalog.error.LakeException
import ducklake.catalog.read.RowVersion
import ducklake.spark.errors.DuckLakeTaskException
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.internal.WriteConf
import org.apache.spark.SparkException
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

/** Writes many versions of rows by Spark tasks. */
private[maintenance] object FlushJob {

  /** @param slices each becomes a task
    * @param taken is handed the files of each task that ended well, also when others fail
    *
    * Errors: UnwritableFile, InvalidValue.
    */
  def run(
      session: SparkSession,
      spec: FlushSpec,
      slices: Vector[Vector[RowVersion]],
      taken: Vector[FlushedFile] => Unit,
  ): Unit = {
    val conf = WriteConf.broadcast(session)
    // Broadcast, for what goes with a task itself may not be large.
    val shipped = slices.map(session.sparkContext.broadcast(_))
    val write = (_: TaskContext, rows: Iterator[Broadcast[Vector[RowVersion]]]) =>
      inTask(rows.toVector.flatMap(each => FlushWriter.write(spec, each.value, conf.value.value)))
    val distributed = session.sparkContext.parallelize(shipped, shipped.size)
    try
      session.sparkContext.runJob(
        distributed,
        write,
        shipped.indices,
        (_: Int, files: Vector[FlushedFile]) => taken(files),
      )
    catch { case failure: SparkException => throw ours(failure) }
    finally (conf +: shipped).foreach(_.destroy())
  }

  /** The error of the task that made the job fail, where it is one of ours. */
  private def ours(failure: SparkException): Throwable =
    Iterator
      .iterate(Option[Throwable](failure))(_.flatMap(cause => Option(cause.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .collectFirst { case task: DuckLakeTaskException =>
        new LakeException(task.error, Some(failure))
      }
      .getOrElse(failure)
}
