package ducklake.spark.parquet.write

import ducklake.files.copy.CopyFormat
import ducklake.spark.config.WriteConfig
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** The lake's options for files whose rows are copied from other files. */
object CopyFormats {

  def of(config: WriteConfig): CopyFormat = {
    val pages = PageLimits.of(config)
    CopyFormat(
      CompressionCodecName.valueOf(config.codec),
      CopyFormat.properties(
        ParquetProperties
          .builder()
          .withPageSize(pages.bytes)
          .withPageRowCountLimit(pages.rows)
          .withWriterVersion(ParquetRowWriter.version(config.pageVersion))
          .withSizeStatisticsEnabled(false)
      ),
      config.rowGroupRows,
      config.rowGroupBytes,
      config.columnsWithoutBounds,
      IdWriteSupport.metadata,
      config.isEncrypted,
    )
  }
}
