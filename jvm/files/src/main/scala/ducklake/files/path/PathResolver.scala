package ducklake.files.path

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.path.LocalPath

import java.nio.file.Paths
import java.util.Locale

/** Converts a path in DuckDB's spelling to the path that Hadoop opens.
  *
  * Paths are plain text and never percent-decoded: `%20`, `?` and `#` are part of the name. A path
  * without a scheme is a local file, also when `fs.defaultFS` names another file system.
  *
  * Source: ours, jvm/docs/configuration.md, "Addresses"; DuckDB 1.5.5 for the schemes.
  */
object PathResolver {

  /** Errors: `UnsupportedPath` for a scheme that cannot be opened. */
  def hadoopPath(duckDbPath: String): String =
    LocalPath.plain(duckDbPath) match {
      case Address(scheme, rest) =>
        remote(duckDbPath, scheme.toLowerCase(Locale.ROOT), rest)
      case local => s"file:${absolute(local)}"
    }

  /** A relative path starts at the working directory of this process, so tasks get only paths that
    * the driver has resolved. A folder keeps the separator at its end.
    */
  private def absolute(path: String): String =
    if (path.startsWith("/")) path else s"$workingDirectory/$path"

  private def remote(path: String, scheme: String, rest: String): String =
    scheme match {
      case "file" => s"file:${absolute("/" + rest.dropWhile(_ == '/'))}"
      case "s3" | "s3n" | "s3a" | "r2" => s"s3a://$rest"
      case "gcs" | "gs" => s"gs://$rest"
      case "az" | "azure" | "abfss" | "abfs" => azure(path, rest)
      case kept if passedOn(kept) => s"$kept://$rest"
      case other =>
        throw new LakeException(
          LakeError.UnsupportedPath(
            path,
            s"has the scheme `$other`, which Spark cannot open",
            s"Known are ${known.mkString(", ")} and local paths.",
          )
        )
    }

  /** An address with an account has the host of the account's cloud. DuckDB uses its blob endpoint
    * (`.blob.`), Hadoop its data lake endpoint (`.dfs.`).
    *
    * Source: DuckDB's azure extension, `azure_parsed_url`.
    */
  private def azure(path: String, rest: String): String = {
    val (first, below) = rest.span(_ != '/')
    val isHadoopForm = first.contains('@')
    if (isHadoopForm) s"abfss://$rest"
    else if (first.contains('.')) {
      val (container, key) = below.drop(1).span(_ != '/')
      val host = first.toLowerCase(Locale.ROOT).replaceFirst("\\.blob\\.", ".dfs.")
      s"abfss://$container@$host$key"
    } else
      throw new LakeException(
        LakeError.UnsupportedPath(
          path,
          "names a container but no storage account",
          "Spark opens az://<account>.blob.core.windows.net/<container>/…, which DuckDB takes " +
            "too. For a lake that has the short path, set `data-path` so, and " +
            "`override-data-path`.",
        )
      )
  }

  private def workingDirectory: String = Paths.get("").toAbsolutePath.toString.stripSuffix("/")

  private val Address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r

  private val passedOn = Set("http", "https", "hdfs", "viewfs", "wasb", "wasbs", "oss", "cosn")

  private val known: Seq[String] =
    Seq("file", "s3", "r2", "gcs", "gs", "az", "azure", "abfss") ++ passedOn.toSeq.sorted
}
