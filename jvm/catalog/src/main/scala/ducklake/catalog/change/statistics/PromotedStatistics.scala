package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.cast.Promotion

/** The statistics of a file when the columns of its table have changed since the file was written.
  */
object PromotedStatistics {

  /** The statistics of the leaf columns that the file holds and that still exist. Their bounds have
    * the present type; a bound that is no value of that type is not known.
    *
    * @param known one entry for each leaf column of the file
    * @param from the columns of the file
    * @param to the present columns
    */
  def of(
      known: Map[ColumnId, ColumnStatistics],
      from: Vector[Column],
      to: Vector[Column],
  ): Map[ColumnId, ColumnStatistics] =
    if (from == to) known
    else {
      val before = LeafColumns.columns(from).map(column => column.id -> column).toMap
      val after = LeafColumns.columns(to).map(column => column.id -> column).toMap
      PackedStatistics.of(PackedStatistics.unpacked(known).flatMap { case (id, statistics) =>
        before.get(id).zip(after.get(id)).map { case (earlier, later) =>
          id -> promoted(statistics, earlier, later)
        }
      })
    }

  private def promoted(known: ColumnStatistics, from: Column, to: Column): ColumnStatistics =
    if (from.dataType == to.dataType) known
    else {
      def bound(value: Option[Literal]) = value.flatMap(Promotion.cast(_, from, to).toOption)
      // Only floats have NaN, so a column that became a float has none.
      val nan = if (isFloat(from)) known.containsNan else Option.when(isFloat(to))(false)
      known.copy(min = bound(known.min), max = bound(known.max), containsNan = nan)
    }

  private def isFloat(column: Column): Boolean =
    column.dataType == LakeType.Float32 || column.dataType == LakeType.Float64
}
