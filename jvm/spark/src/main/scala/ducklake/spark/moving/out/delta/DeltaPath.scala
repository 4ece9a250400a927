package ducklake.spark.moving.out.delta

import java.nio.charset.StandardCharsets.UTF_8

/** Paths of data files as Delta names them: relative to the table when they are below it, else
  * absolute. Local paths have no scheme, because DuckDB does not find `file:` in a table of Delta.
  *
  * Source: Delta's protocol, "Add File and Remove File"; RFC 2396.
  */
private[delta] object DeltaPath {

  /** @param folder of the table, in DuckDB's spelling, with a separator at its end
    * @param file in DuckDB's spelling
    */
  def of(folder: String, file: String): String =
    if (file.startsWith(folder)) encoded(file.drop(folder.length))
    else
      file match {
        case address(scheme, rest) => s"$scheme://${encoded(rest)}"
        case local => encoded(local)
      }

  private def encoded(path: String): String =
    path
      .getBytes(UTF_8)
      .map { byte =>
        val char = (byte & 0xff).toChar
        if (isPlain(char)) char.toString else f"%%${byte & 0xff}%02X"
      }
      .mkString

  private def isPlain(char: Char): Boolean =
    (char < 128 && char.isLetterOrDigit) || "-_.~/=".contains(char)

  private val address = "(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r
}
