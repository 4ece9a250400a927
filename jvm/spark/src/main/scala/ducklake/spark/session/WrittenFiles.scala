package ducklake.spark.session

import ducklake.files.store.CatalogFileSystem
import ducklake.spark.config.HadoopSettings
import ducklake.spark.job.DiscardJob
import ducklake.spark.parquet.write.WriteHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** Files that no snapshot names yet.
  *
  * @param paths as Hadoop opens them
  */
final case class WrittenFiles(paths: Vector[String]) {

  /** Deletes the files. A file that cannot be deleted remains as an orphan, and no error is thrown,
    * because the statement already has an error. When Spark has stopped, there is no session, and
    * the files are opened with the settings in Hadoop's own files and of the catalog.
    */
  def delete(own: HadoopSettings): Unit = {
    val conf = SparkSession.getActiveSession
      .orElse(SparkSession.getDefaultSession)
      .map(WriteHadoopConf.ofSession(_, own))
      .getOrElse(CatalogFileSystem.scope(new Configuration(), own.values))
    DiscardJob.run(paths, conf)
  }
}
