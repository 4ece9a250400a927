package ducklake.spark.write

import ducklake.files.Storage
import ducklake.spark.internal.WriteConf
import org.apache.spark.sql.classic.SparkSession

/** Files that are in no snapshot yet.
  *
  * @param paths as Hadoop opens them
  */
final case class WrittenFiles(paths: Vector[String]) {

  /** A file that cannot be deleted stays behind as an orphan: the statement's own error counts. */
  def delete(): Unit = Storage.discard(paths, WriteConf.ofSession(SparkSession.active))
}
