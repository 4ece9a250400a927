package ducklake.files.parquet

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import scala.jdk.CollectionConverters.ListHasAsScala

/** Statistics of a file's columns for the catalog. They are made from the footer in the writer's
  * memory, because the footer in the file does not have the bounds of long values. Bounds are
  * truncated here: they travel from the task to the driver.
  *
  * Source: format 3.1 to 3.3.
  */
object FooterStatistics {

  /** @param withoutBounds columns that get no bounds, nor do their parts */
  def of(
      footer: ParquetMetadata,
      leaves: Vector[LeafColumn],
      withoutBounds: Set[ColumnId],
  ): Map[ColumnId, ColumnStatistics] = {
    val chunks = footer.getBlocks.asScala.toVector
      .flatMap(_.getColumns.asScala)
      .groupBy(_.getPath.toArray.toVector)
    leaves.groupBy(_.column).map { case (column, ofColumn) =>
      // A variant has two leaves. The values are counted in the first leaf only.
      val counted = chunks.getOrElse(ofColumn.head.path, Vector.empty)
      val all = ofColumn.flatMap(leaf => chunks.getOrElse(leaf.path, Vector.empty))
      val lakeType = ofColumn.head.lakeType
      val known = statistics(counted, lakeType, all.map(_.getTotalSize).sum).truncated(lakeType)
      val isBounded = !ofColumn.head.columns.exists(withoutBounds)
      column -> (if (isBounded) known else known.copy(min = None, max = None))
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
    // When a row group has values but no bounds, the bounds of the other row groups do not cover
    // the file.
    val areBounded = chunks.forall(c => isAllNull(c) || c.getStatistics.hasNonNullValue)
    val merged = if (areBounded) merge(bounds) else None
    val max = merged.flatMap(all => BoundLiterals.of(all.genericGetMax(), lakeType))
    val containsNan = max.exists(isNan)
    ColumnStatistics(
      min = merged.flatMap(all => BoundLiterals.of(all.genericGetMin(), lakeType)).filterNot(isNan),
      max = max.filterNot(isNan),
      valueCount = Some(entries - nulls),
      nullCount = Some(nulls),
      containsNan = Option.when(isFloat(lakeType))(containsNan),
      sizeBytes = Some(sizeBytes),
      minIsValue = true,
      maxIsValue = true,
    )
  }

  private def isAllNull(chunk: ColumnChunkMetaData): Boolean =
    chunk.getStatistics.getNumNulls == chunk.getValueCount

  /** Parquet's library treats NaN as the greatest number when it writes. The maximum of a file with
    * NaN is therefore NaN, and its greatest other number is not known.
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
}

/** A primitive column of a new file.
  *
  * @param path the column's path in the file, one part for each level of the schema
  * @param columns the lake's column and the columns that contain it, from the top; for the two
  *   leaves of a variant, the column of the variant
  */
final case class LeafColumn(
    path: Vector[String],
    columns: Vector[ColumnId],
    lakeType: LakeType.Primitive,
) {
  def column: ColumnId = columns.last
}
