package ducklake.spark.changes

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.ChangeListing
import ducklake.catalog.read.InlinedRowChanges
import ducklake.spark.parquet.vector.PackedRows
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType

/** The inlined rows of a change feed.
  *
  * Errors of [[tasks]]: `InvalidValue` for a value that Spark's types cannot hold.
  */
private[changes] final class InlinedFeed(
    request: FeedRequest,
    listing: ChangeListing,
    pairs: FeedPairs,
) {
  private val data = request.data
  private val types: Vector[DataType] = data.map(_.sparkType) ++ Vector(LongType, LongType)

  /** For each side and each set of partners a task. */
  def tasks: Vector[FeedTask] =
    for {
      side <- request.sides
      changed = listing.rows.flatMap { row =>
        FeedPairs.changedBy(row, side, listing.range).map(row -> _)
      }
      (partners, group) <- byPartners(side, changed)
    } yield InlinedFeedTask(
      PackedRows.of(group.iterator.map { case (row, snapshot) => cells(row, snapshot) }, types),
      side,
      partners,
    )

  private def byPartners(
      side: ChangeSide,
      rows: Vector[(InlinedRowChanges, Long)],
  ): Vector[(Partners, Vector[(InlinedRowChanges, Long)])] = {
    val bySnapshot = rows.groupBy(_._2).toVector.sortBy(_._1)
    val (alone, paired) = bySnapshot
      .map { case (snapshot, group) => pairs.of(side, InlinedFeed.by(snapshot)) -> group }
      .partition(_._1.isEmpty)
    val merged = alone.flatMap(_._2)
    if (merged.isEmpty) paired else (Partners.none -> merged) +: paired
  }

  private def cells(row: InlinedRowChanges, snapshot: Long): InternalRow = {
    val values = data.zip(row.values).map { case (column, value) =>
      SparkValues.internal(value, column.column, column.sparkType)
    }
    new GenericInternalRow((values ++ Vector[Any](row.rowId, snapshot)).toArray)
  }
}

private[changes] object InlinedFeed {

  /** The snapshot that changed an inlined row, as the key of its partners. */
  def by(snapshot: Long): Vector[SnapshotRange] = Vector(SnapshotRange.of(SnapshotId(snapshot)))
}
