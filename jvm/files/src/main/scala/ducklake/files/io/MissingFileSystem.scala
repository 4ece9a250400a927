package ducklake.files.io

import ducklake.catalog.error.LakeError
import org.apache.hadoop.fs.UnsupportedFileSystemException
import org.apache.hadoop.util.VersionInfo

import java.util.Locale

/** The error for a path whose file system is not among Spark's jars, a common first mistake with
  * object stores.
  */
private[io] object MissingFileSystem {

  /** Whether a missing file system caused the failure. For an unknown scheme Hadoop throws
    * UnsupportedFileSystemException, for a known scheme ClassNotFoundException.
    */
  def isBehind(causes: List[Throwable]): Boolean = causes.exists {
    case _: UnsupportedFileSystemException => true
    case absent: ClassNotFoundException =>
      Option(absent.getMessage).exists(_.contains("FileSystem"))
    case _ => false
  }

  def error(path: String): LakeError = {
    val scheme = path.takeWhile(_ != ':').toLowerCase(Locale.ROOT)
    val jar = scheme match {
      case "s3" | "s3a" | "s3n" | "r2" => hadoop("aws")
      case "az" | "azure" | "abfs" | "abfss" | "wasb" | "wasbs" => hadoop("azure")
      case "gs" | "gcs" => "Google's `gcs-connector`"
      case other => s"the one that has Hadoop's file system for `$other`"
    }
    LakeError.UnsupportedPath(
      path,
      "cannot be opened: no jar of Spark has a file system for it",
      s"Add $jar with what it needs to Spark's jars, for example by `--packages`.",
    )
  }

  private def hadoop(module: String): String =
    s"`org.apache.hadoop:hadoop-$module:${VersionInfo.getVersion}`"
}
