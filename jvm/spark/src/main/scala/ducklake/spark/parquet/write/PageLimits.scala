package ducklake.spark.parquet.write

import ducklake.spark.config.WriteConfig
import org.apache.parquet.column.ParquetProperties

/** When a data page ends at the latest.
  *
  * @param bytes of values before they are encoded
  */
private[write] final case class PageLimits(bytes: Int, rows: Int)

private[write] object PageLimits {

  /** Usual pages in a lake without encryption. In an encrypted lake a column has one page in each
    * row group, because the page limit is larger than a row group. DuckDB cannot read the data
    * after a page that it skips, because it takes the page's size in the file for the size of its
    * decrypted data. It skips pages when their dictionary has no value that a filter accepts.
    *
    * Source: DuckDB 1.5.5, observed, e2e/test_encrypted_lakes.
    */
  def of(config: WriteConfig): PageLimits =
    if (!config.isEncrypted)
      PageLimits(
        ParquetProperties.DEFAULT_PAGE_SIZE,
        ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT,
      )
    else PageLimits((config.rowGroupBytes.min(Int.MaxValue / 2L) * 2L).toInt, Int.MaxValue)
}
