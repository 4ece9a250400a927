package ducklake.catalog.path

import java.nio.file.Path

/** Local paths in the spellings that DuckDB opens.
  *
  * Source: DuckDB 1.5.5, observed: it keeps the text as it was given.
  */
object LocalPath {

  /** The path without the scheme `file:`, and with the home folder of the process for `~`. Paths
    * with another scheme stay as they are.
    */
  def plain(path: String): String = plain(path, sys.env.get("HOME"))

  /** The path as [[plain]] gives it; a relative path starts at the working folder of the process.
    */
  def absolute(path: String): String = {
    val known = plain(path)
    if (known.contains("://") || known.startsWith("/") || known.isEmpty) known
    else s"${Path.of("").toAbsolutePath.toString.stripSuffix("/")}/$known"
  }

  private[path] def plain(path: String, home: Option[String]): String =
    if (path.startsWith("file://")) "/" + path.drop("file://".length).dropWhile(_ == '/')
    else if (path.startsWith("file:")) path.drop("file:".length)
    else if (path.startsWith("~/")) home.getOrElse("~") + path.drop(1)
    else path
}
