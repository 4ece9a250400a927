package ducklake.spark.parquet.write

import ducklake.files.copy.CopyFormat
import ducklake.spark.config.WriteConfig
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** The lake's options for files whose rows are copied from other files. */
object CopyFormats {

  def of(config: WriteConfig): CopyFormat =
    CopyFormat(
      CompressionCodecName.valueOf(config.codec),
      CopyFormat.properties(
        ParquetProperties
          .builder()
          .withWriterVersion(ParquetRows.version(config.pageVersion))
          .withSizeStatisticsEnabled(false)
      ),
      config.rowGroupRows,
      config.rowGroupBytes,
      config.columnsWithoutBounds,
      IdWriteSupport.metadata,
    )
}
