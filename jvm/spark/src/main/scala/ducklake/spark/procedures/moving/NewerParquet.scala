package ducklake.spark.procedures.moving

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** The libraries of Delta and Iceberg read Parquet files by the Parquet library in Spark. That of
  * Spark 4.0 is too old for them: classes are missing when they read a checkpoint, deleted rows or
  * the rows of a table.
  */
private[moving] object NewerParquet {

  /** Runs a move. Errors: Unsupported when a library misses a class of Parquet's, here or in a task.
    */
  def needed[A](procedure: String)(move: => A): A =
    try move
    catch {
      case failure: Throwable if causes(failure).exists(isMissingClass) =>
        val error = LakeError.Unsupported(
          s"`$procedure` of this table on this Spark, whose Parquet library the format's library " +
            "cannot use,",
          "Move it on Spark 4.1 or newer.",
        )
        throw new LakeException(error, Some(failure))
    }

  private def causes(failure: Throwable): Iterator[Throwable] =
    Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(MostCauses)

  private def isMissingClass(failure: Throwable): Boolean = failure match {
    case missing: NoClassDefFoundError =>
      Option(missing.getMessage).exists(_.contains("org/apache/parquet/"))
    case _ => false
  }

  private val MostCauses = 20
}
