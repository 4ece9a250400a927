package ducklake.files

import java.util.Locale

import org.apache.hadoop.fs.UnsupportedFileSystemException
import org.apache.hadoop.util.VersionInfo

import ducklake.catalog.error.LakeError

/** A path whose scheme no class among Spark's jars opens: the usual first mistake with object stores. */
private[files] object MissingFileSystem {

  /** Whether this is what went wrong. Hadoop says it by an exception of its own for a scheme that it does
    * not know, and by a class that is not found for one that it knows.
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
