package ducklake.spark.session

import ducklake.spark.config.HadoopSettings
import ducklake.spark.parquet.write.WriteHadoopConf
import org.apache.spark.sql.classic.SparkSession

/** Files that no snapshot names yet.
  *
  * @param paths as Hadoop opens them
  */
final case class WrittenFiles(paths: Vector[String]) {

  /** Deletes the files. A file that cannot be deleted remains as an orphan, and no error is thrown,
    * because the statement has an error of its own.
    */
  def delete(own: HadoopSettings): Unit =
    DiscardJob.run(paths, WriteHadoopConf.ofSession(SparkSession.active, own))
}
