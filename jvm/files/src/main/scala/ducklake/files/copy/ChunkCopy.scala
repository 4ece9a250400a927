package ducklake.files.copy

import ducklake.catalog.types.LakeType
import ducklake.files.copy.plan.LeafSource
import ducklake.files.copy.plan.NewLeaf
import ducklake.files.copy.plan.ValueCopy
import org.apache.parquet.CorruptDeltaByteArrays
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import scala.jdk.CollectionConverters.SetHasAsScala

/** Copies column chunks byte by byte, with their indexes and bloom filters. Their values are read
  * only when the source's footer has no exact bounds.
  */
private[copy] object ChunkCopy {

  /** Some writers cut longer bounds, and the footers that we read do not record it. */
  private val ExactBytes = 60

  /** Whether the pages have the same meaning in the new file. */
  def isPossible(
      source: SourceReader,
      chunk: ColumnChunkMetaData,
      leaf: LeafSource,
      codec: CompressionCodecName,
  ): Boolean =
    leaf.isAsStored && chunk.getCodec == codec && !chunk.getEncodings.asScala.exists {
      // Readers know by the writer's version how the pages of some old files must be read.
      CorruptDeltaByteArrays.requiresSequentialReads(source.createdBy, _)
    }

  /** Appends the chunk to the row group that is being written.
    *
    * @param lakeType of the column's values
    * @param keepsFilter whether the new file can have the chunk's bloom filter
    */
  def append(
      out: ParquetFileWriter,
      source: SourceReader,
      group: Int,
      from: LeafSource,
      to: NewLeaf,
      lakeType: LakeType.Primitive,
      keepsFilter: Boolean,
  ): Unit = {
    val chunk = source.chunk(group, from.descriptor)
    val known: Option[Statistics[?]] = Option(chunk.getStatistics)
    val statistics: Statistics[?] = known
      .filter(isExact(_, chunk, lakeType))
      .map(of(_, to.descriptor.getPrimitiveType))
      .getOrElse(measured(source, group, from, to))
    val described = ChunkDescription.moved(
      chunk,
      ColumnPath.get(to.path*),
      to.descriptor.getPrimitiveType,
      statistics,
    )
    val (bloomFilter, columnIndex, offsetIndex) = source.named {
      val reader = source.under
      val filter = Option.when(keepsFilter)(reader.readBloomFilter(chunk))
      (filter, reader.readColumnIndex(chunk), reader.readOffsetIndex(chunk))
    }
    out.appendColumnChunk(
      to.descriptor,
      source.stream,
      described,
      bloomFilter.orNull,
      columnIndex,
      offsetIndex,
    )
  }

  /** Whether the footer has all the statistics that the catalog keeps for the chunk. A footer does
    * not record whether a column of floats contains NaN.
    */
  private def isExact(
      known: Statistics[?],
      chunk: ColumnChunkMetaData,
      lakeType: LakeType.Primitive,
  ): Boolean =
    known.isNumNullsSet && (lakeType match {
      case LakeType.Float32 | LakeType.Float64 => false
      case LakeType.Variant | LakeType.Interval | LakeType.TimeTz | LakeType.Geometry(_) |
          LakeType.Int128 | LakeType.UInt128 | LakeType.TimeNs | LakeType.Unknown(_) =>
        true
      case _ => known.getNumNulls == chunk.getValueCount || hasExactBounds(known)
    })

  private def hasExactBounds(statistics: Statistics[?]): Boolean =
    statistics.hasNonNullValue && statistics.getMinBytes.length < ExactBytes &&
      statistics.getMaxBytes.length < ExactBytes

  /** The statistics with the type of the new column, which may have a field id that the source's
    * type lacks. Parquet does not merge statistics of different types.
    */
  private def of(known: Statistics[?], column: PrimitiveType): Statistics[?] = {
    val builder = Statistics.getBuilderForReading(column).withNumNulls(known.getNumNulls)
    if (known.hasNonNullValue) builder.withMin(known.getMinBytes).withMax(known.getMaxBytes)
    builder.build()
  }

  private def measured(
      source: SourceReader,
      group: Int,
      from: LeafSource,
      to: NewLeaf,
  ): Statistics[?] = {
    val statistics: Statistics[?] = Statistics.createStats(to.descriptor.getPrimitiveType)
    val name = from.descriptor.getPrimitiveType.getPrimitiveTypeName
    val entries = source.chunk(group, from.descriptor).getValueCount
    source.decoded(group, Vector(from.descriptor)) { readers =>
      source.named(measure(readers.head, entries, name, statistics))
    }
    statistics
  }

  private def measure(
      reader: ColumnReader,
      entries: Long,
      name: PrimitiveTypeName,
      into: Statistics[?],
  ): Unit = {
    // A plain loop: it runs for every value.
    val add = ValueCopy.measure(name)
    val defined = reader.getDescriptor.getMaxDefinitionLevel
    var entry = 0L
    while (entry < entries) {
      if (reader.getCurrentDefinitionLevel == defined) add(reader, into)
      else into.incrementNumNulls()
      reader.consume()
      entry += 1
    }
  }
}
