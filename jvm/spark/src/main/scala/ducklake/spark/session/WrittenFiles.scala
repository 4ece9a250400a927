package ducklake.spark.session

import ducklake.files.Storage
import ducklake.spark.parquet.write.WriteHadoopConf
import org.apache.spark.sql.classic.SparkSession

/** Files that are in no snapshot yet.
  *
  * @param paths as Hadoop opens them
  */
final case class WrittenFiles(paths: Vector[String]) {

  /** A file that cannot be deleted stays behind as an orphan: the statement's own error counts. */
  def delete(): Unit = Storage.discard(paths, WriteHadoopConf.ofSession(SparkSession.active))
}
