package ducklake.catalog.jdbc.engine

import java.io.IOException
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.Path

/** Reads the part of a DuckDB file's header that is the same in all versions of DuckDB.
  *
  * Source: DuckDB 1.5.5, observed: the name of the version that wrote the file, at byte 52.
  */
private[engine] object DuckDbHeader {
  private val VersionAt = 52
  private val VersionLength = 32

  /** The version of DuckDB that wrote the file. None when the file cannot be read or has no
    * version.
    */
  def writtenBy(file: Path): Option[String] =
    try {
      val bytes = Files.newInputStream(file)
      val head =
        try bytes.readNBytes(VersionAt + VersionLength)
        finally bytes.close()
      val name = head.slice(VersionAt, VersionAt + VersionLength).takeWhile(_ != 0)
      Some(new String(name, StandardCharsets.US_ASCII)).filter(_.matches("v[0-9][\\w.\\-]*"))
    } catch { case _: IOException => None }
}
