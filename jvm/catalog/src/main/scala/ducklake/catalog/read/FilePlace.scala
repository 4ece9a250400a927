package ducklake.catalog.read

import java.nio.file.Path
import java.util.Locale

/** The place that a path names, as a text that is the same for all spellings of the place. */
object FilePlace {

  /** `s3a`, `s3n` and `s3` are one scheme, as are `gcs` and `gs`. `file:` and repeated separators
    * are left out. A relative path is relative to the working directory of the process.
    */
  def of(path: String): String =
    path match {
      case Address(scheme, rest) => remote(scheme.toLowerCase(Locale.ROOT), rest)
      case local => absolute(local.stripPrefix("file:"))
    }

  private val Address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r

  private def remote(scheme: String, rest: String): String =
    scheme match {
      case "file" => absolute("/" + rest)
      case "s3a" | "s3n" => s"s3://${single(rest)}"
      case "gcs" => s"gs://${single(rest)}"
      case other => s"$other://${single(rest)}"
    }

  private def absolute(path: String): String = Path.of(path).toAbsolutePath.normalize.toString

  private def single(path: String): String = path.replaceAll("/+", "/")
}
