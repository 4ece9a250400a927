package ducklake.files.path

import ducklake.catalog.commit.Uuid7

/** Names of new files: unique without coordination, and ordered by their creation time.
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
}
