package ducklake.files.path

import ducklake.catalog.commit.Uuid7

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

/** Names of new files: unique without coordination, and ordered by their creation time, but for those
  * of [[FileNames.inPlaceOf]].
  *
  * Source: DuckDB 1.5.5, observed (format 5.1 and 6.2).
  */
object FileNames {

  def dataFile(): String = s"ducklake-${Uuid7.next()}.parquet"

  /** Whether this is a name that DuckDB or we give to files of a lake. */
  def isOurs(name: String): Boolean = pattern.matches(name)

  private val pattern =
    "ducklake-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-delete)?\\.(?:parquet|puffin)".r

  def deleteFile(): String = s"ducklake-${Uuid7.next()}-delete.parquet"

  /** A name for a file with the rows of a file of another table, which tells later whose rows they
    * are. Each call gives another name, and all begin alike: a UUID of version 8, whose last group
    * alone is random.
    */
  def inPlaceOf(path: String): String =
    s"${beginningInPlaceOf(path)}${Uuid7.next().toString.takeRight(12)}.parquet"

  /** What the names of [[inPlaceOf]] for the path begin with. */
  def beginningInPlaceOf(path: String): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(path.getBytes(UTF_8))
    val hex = HexFormat.of.formatHex(digest)
    s"ducklake-${hex.take(8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-a${hex.slice(15, 18)}-"
  }

  /** The name of a file of a lake without its last group. */
  def beginningOf(name: String): String = name.take(name.lastIndexOf('-') + 1)
}
