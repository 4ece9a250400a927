package ducklake.files

import ducklake.catalog.commit.Uuid7

/** Names of new files: unique without coordination, and ordered by their creation time.
  *
  * Source: DuckDB 1.5.5, observed (format 5.1 and 6.2).
  */
object FileNames {

  def dataFile(): String = s"ducklake-${Uuid7.next()}.parquet"

  def deleteFile(): String = s"ducklake-${Uuid7.next()}-delete.parquet"
}
