package ducklake.files.copy

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.schema.PrimitiveType

/** What a footer says about a chunk of a column. */
private[copy] object ChunkDescription {

  /** The description of the same bytes as a chunk of another column. */
  def moved(
      chunk: ColumnChunkMetaData,
      path: ColumnPath,
      to: PrimitiveType,
      statistics: Statistics[?],
  ): ColumnChunkMetaData =
    ColumnChunkMetaData.get(
      path,
      to,
      chunk.getCodec,
      chunk.getEncodingStats,
      chunk.getEncodings,
      statistics,
      chunk.getFirstDataPageOffset,
      chunk.getDictionaryPageOffset,
      chunk.getValueCount,
      chunk.getTotalSize,
      chunk.getTotalUncompressedSize,
      chunk.getSizeStatistics,
      chunk.getGeospatialStatistics,
    )
}
