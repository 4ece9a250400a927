package ducklake.spark.parquet.write

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.api.Binary

import java.math.BigDecimal
import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.collection.immutable.ArraySeq
import scala.jdk.CollectionConverters.ListHasAsScala

/** Statistics of a file's columns for the catalog. They are made from the footer in the writer's
  * memory, because the footer in the file does not have the bounds of long values.
  *
  * Source: format 3.1 to 3.3.
  */
object FooterStatistics {

  def of(
      footer: ParquetMetadata,
      leaves: Vector[LeafConverter],
  ): Map[ColumnId, ColumnStatistics] = {
    val chunks = footer.getBlocks.asScala.toVector
      .flatMap(_.getColumns.asScala)
      .groupBy(_.getPath.toArray.toVector)
    leaves.groupBy(_.column).map { case (column, ofColumn) =>
      // A variant has two leaves. The values are counted in the first leaf only.
      val counted = chunks.getOrElse(ofColumn.head.path, Vector.empty)
      val all = ofColumn.flatMap(leaf => chunks.getOrElse(leaf.path, Vector.empty))
      column -> statistics(counted, ofColumn.head.lakeType, all.map(_.getTotalSize).sum)
    }
  }

  private def statistics(
      chunks: Vector[ColumnChunkMetaData],
      lakeType: LakeType.Primitive,
      sizeBytes: Long,
  ): ColumnStatistics = {
    val entries = chunks.map(_.getValueCount).sum
    val nulls = chunks.map(_.getStatistics.getNumNulls).sum
    val bounds = chunks.map(_.getStatistics).filter(_.hasNonNullValue)
    // When a row group has values but no bounds, the bounds of the other row groups are not those
    // of the file.
    val areBounded = chunks.forall(c => isAllNull(c) || c.getStatistics.hasNonNullValue)
    val merged = if (areBounded) merge(bounds) else None
    val max = merged.flatMap(all => literal(all.genericGetMax(), lakeType))
    val containsNan = max.exists(isNan)
    ColumnStatistics(
      min = merged.flatMap(all => literal(all.genericGetMin(), lakeType)).filterNot(isNan),
      max = max.filterNot(isNan),
      valueCount = Some(entries - nulls),
      nullCount = Some(nulls),
      containsNan = Option.when(isFloat(lakeType))(containsNan),
      sizeBytes = Some(sizeBytes),
    )
  }

  private def isAllNull(chunk: ColumnChunkMetaData): Boolean =
    chunk.getStatistics.getNumNulls == chunk.getValueCount

  /** While Parquet's library writes, NaN is its greatest number. The maximum of a file with NaN is
    * therefore NaN, and its greatest other number is not known.
    */
  private def merge(bounds: Vector[Statistics[?]]): Option[Statistics[?]] =
    bounds.headOption.map { first =>
      val merged: Statistics[?] = first.copy()
      bounds.tail.foreach(merged.mergeStatistics(_))
      merged
    }

  private def isFloat(lakeType: LakeType): Boolean =
    lakeType == LakeType.Float32 || lakeType == LakeType.Float64

  private def isNan(literal: Literal): Boolean =
    literal match {
      case Literal.Floating(value) => value.isNaN
      case _ => false
    }

  /** The literal of a bound in the footer; None for types for which the catalog keeps no bounds. */
  private def literal(value: Any, lakeType: LakeType.Primitive): Option[Literal] =
    (value, lakeType) match {
      case (v: Boolean, LakeType.Bool) => Some(Literal.Bool(v))
      case (v: Int, LakeType.Int8 | LakeType.Int16 | LakeType.Int32) => whole(v.toLong)
      case (v: Int, LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32) =>
        whole(Integer.toUnsignedLong(v))
      case (v: Long, LakeType.Int64) => whole(v)
      case (v: Long, LakeType.UInt64) =>
        Some(Literal.BigIntegral(BigInt(java.lang.Long.toUnsignedString(v))))
      case (v: Float, LakeType.Float32) => Some(Literal.Floating(v.toDouble))
      case (v: Double, LakeType.Float64) => Some(Literal.Floating(v))
      case (v: Int, LakeType.Decimal(_, scale)) =>
        Some(decimal(BigInteger.valueOf(v.toLong), scale))
      case (v: Long, LakeType.Decimal(_, scale)) => Some(decimal(BigInteger.valueOf(v), scale))
      case (v: Binary, LakeType.Decimal(_, scale)) =>
        Some(decimal(new BigInteger(v.getBytes), scale))
      case (v: Int, LakeType.Date) => Some(Literal.Date(v))
      case (v: Long, LakeType.Time) => Some(Literal.Time(v))
      case (v: Long, LakeType.TimestampS) => Some(Literal.Timestamp(seconds(v)))
      case (
            v: Long,
            LakeType.Timestamp | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz,
          ) =>
        Some(Literal.Timestamp(v))
      case (v: Binary, LakeType.Varchar | LakeType.Json) => text(v.getBytes)
      case (v: Binary, LakeType.Blob) => Some(Literal.Bytes(ArraySeq.unsafeWrapArray(v.getBytes)))
      case (v: Binary, LakeType.Uuid) =>
        val bytes = ByteBuffer.wrap(v.getBytes)
        Some(Literal.Uuid(new UUID(bytes.getLong, bytes.getLong)))
      case _ => None
    }

  private def whole(value: Long): Option[Literal] = Some(Literal.Integral(value))

  private def decimal(unscaled: BigInteger, scale: Int): Literal =
    Literal.Dec(new BigDecimal(unscaled, scale))

  /** Files hold whole seconds as microseconds. Infinite values are the same number in every unit.
    */
  private def seconds(micros: Long): Long =
    if (micros == Long.MaxValue || micros == -Long.MaxValue) micros
    else Math.floorDiv(micros, 1000000L)

  /** None for bytes that are not UTF-8: they cannot be a text bound. */
  private def text(bytes: Array[Byte]): Option[Literal] = {
    val read = new String(bytes, UTF_8)
    Option.when(java.util.Arrays.equals(read.getBytes(UTF_8), bytes))(Literal.Text(read))
  }
}
