package ducklake.spark.write

import ducklake.files.Storage
import ducklake.spark.internal.WriteConf
import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Files that are in no snapshot yet.
  *
  * @param paths as Hadoop opens them
  */
final case class WrittenFiles(paths: Vector[String]) {

  private def log = LoggerFactory.getLogger(classOf[WrittenFiles])

  /** One that cannot be deleted stays behind, as an orphan: the statement's own error counts. */
  def delete(): Unit = {
    val conf = WriteConf.ofSession(SparkSession.active)
    paths.foreach { path =>
      try Storage.delete(path, conf)
      catch {
        case NonFatal(cause) =>
          log.warn(
            "The file {} of a failed write could not be deleted ({}). Remove it with " +
              "delete_orphaned_files.",
            path,
            cause.toString,
          )
      }
    }
  }
}
