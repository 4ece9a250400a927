package ducklake.catalog.path

import java.nio.file.Path
import java.util.Locale

/** One spelling for all paths that name the same place by their text alone: `s3a`, `s3n` and `s3`
  * are one scheme, as are `gcs` and `gs`; `file:`, repeated separators, `.` and `..` are left out.
  *
  * Object stores may distinguish `a//b` from `a/b`, but Hadoop cannot open the first. It is safe to
  * treat both as one place: a file that is taken for a known file is kept, and not registered
  * again.
  */
object PathSpelling {

  /** A relative local path is relative to the working directory of the process. */
  def of(path: String): String =
    LocalPath.plain(path) match {
      case Address(scheme, _, rest) if scheme.equalsIgnoreCase("file") => absolute("/" + rest)
      case Address(scheme, authority, rest) =>
        val store = scheme.toLowerCase(Locale.ROOT)
        s"${one.getOrElse(store, store)}://${authority.toLowerCase(Locale.ROOT)}${plain(rest)}"
      case local => absolute(local)
    }

  /** Whether a path is below a folder, wherever its `..` lead. */
  def isBelow(folder: String, path: String): Boolean =
    s"${of(path)}/".startsWith(s"${of(folder).stripSuffix("/")}/")

  private val Address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)(.*)".r

  private val one = Map("s3a" -> "s3", "s3n" -> "s3", "gcs" -> "gs")

  private def absolute(path: String): String = Path.of(path).toAbsolutePath.normalize.toString

  /** An absolute path without empty parts, `.` and `..`. */
  def plain(path: String): String = {
    val segments = path.split('/').foldLeft(Vector.empty[String]) {
      case (done, "" | ".") => done
      case (done, "..") => done.dropRight(1)
      case (done, segment) => done :+ segment
    }
    segments.mkString("/", "/", "")
  }
}
