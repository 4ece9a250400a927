package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText

/** Merges new rows into table statistics. The bounds always contain all values. A column with an
  * unknown bound loses its entry, because DuckDB takes a missing bound for "no value so far".
  *
  * Source: DuckDB 1.5.5 (format 3.4).
  */
object StatsMerge {

  /** @param known the statistics before these rows; None when the table never had rows
    * @param leaves types of the table's live leaf columns
    */
  def add(
      known: Option[TableStatistics],
      rows: AddedRows,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): TableStatistics =
    known match {
      case None =>
        TableStatistics(Some(rows.recordCount), rows.freshIds, rows.sizeBytes, first(rows, leaves))
      case Some(before) =>
        TableStatistics(
          before.recordCount.map(_ + rows.recordCount),
          before.nextRowId + rows.freshIds,
          before.fileSizeBytes + rows.sizeBytes,
          merge(
            before.columns,
            id => leaves.get(id).flatMap(of => rows.statistics.get(id).flatMap(bounds(_, of))),
            leaves,
          ),
        )
    }

  /** The statistics of a table that has these rows only; None without rows. */
  def total(
      rows: Iterator[AddedRows],
      leaves: Map[ColumnId, LakeType.Primitive],
  ): Option[TableStatistics] =
    rows.foldLeft(Option.empty[TableStatistics])((known, more) => Some(add(known, more, leaves)))

  /** Like [[add]], for rows whose [[total]] is known. The order in which files are added does not
    * matter, so the files of a commit can be added up before its transaction begins.
    */
  def addTotal(
      known: Option[TableStatistics],
      more: TableStatistics,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): TableStatistics =
    known match {
      case None => more
      case Some(before) =>
        TableStatistics(
          before.recordCount.zip(more.recordCount).map { case (old, added) => old + added },
          before.nextRowId + more.nextRowId,
          before.fileSizeBytes + more.fileSizeBytes,
          merge(before.columns, more.columns.get, leaves),
        )
    }

  private def first(
      rows: AddedRows,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): Map[ColumnId, ColumnBounds] =
    leaves.flatMap { case (id, lakeType) =>
      rows.statistics.get(id).flatMap(bounds(_, lakeType)).map(id -> _)
    }

  private def merge(
      before: Map[ColumnId, ColumnBounds],
      added: ColumnId => Option[ColumnBounds],
      leaves: Map[ColumnId, LakeType.Primitive],
  ): Map[ColumnId, ColumnBounds] =
    before.flatMap { case (id, old) =>
      leaves.get(id) match {
        case None => Some(id -> old)
        case Some(lakeType) =>
          added(id).flatMap(union(old, _, lakeType)).map(id -> _)
      }
    }

  /** The bounds of a column in the new rows; None when a bound is unknown. */
  private[catalog] def bounds(
      statistics: ColumnStatistics,
      lakeType: LakeType.Primitive,
  ): Option[ColumnBounds] = {
    val stored = StoredBounds.of(statistics, lakeType)
    val isEmpty = statistics.valueCount.contains(0L)
    val traits = TypeTraits.of(lakeType)
    val isKnown = !traits.hasBounds || isEmpty || (stored.min.nonEmpty && stored.max.nonEmpty)
    Option.when(isKnown && traits.hasStatistics)(
      ColumnBounds(
        statistics.nullCount.map(_ > 0),
        statistics.containsNan,
        stored.min,
        stored.max,
        stored.minIsExact,
        stored.maxIsExact,
        isEmpty,
      )
    )
  }

  /** The bounds that cover both; None when a bound is not a value of the type. */
  private[catalog] def union(
      old: ColumnBounds,
      added: ColumnBounds,
      lakeType: LakeType.Primitive,
  ): Option[ColumnBounds] = {
    val nulls = either(old.containsNull, added.containsNull)
    val nans = either(old.containsNan, added.containsNan)
    if (added.isEmpty) Some(old.copy(containsNull = nulls, containsNan = nans))
    else if (old.isEmpty) Some(added.copy(containsNull = nulls, containsNan = nans))
    else if (!TypeTraits.of(lakeType).hasBounds)
      Some(ColumnBounds(nulls, nans, None, None, None, None, isEmpty = false))
    else
      for {
        min <- extreme(
          Bound(old.min, old.minIsExact),
          Bound(added.min, added.minIsExact),
          lakeType,
          -1,
        )
        max <- extreme(
          Bound(old.max, old.maxIsExact),
          Bound(added.max, added.maxIsExact),
          lakeType,
          1,
        )
      } yield ColumnBounds(
        nulls,
        nans,
        min.text,
        max.text,
        min.isExact,
        max.isExact,
        isEmpty = false,
      )
  }

  /** True when one side is true. None when no side is true and one is unknown. */
  private def either(left: Option[Boolean], right: Option[Boolean]): Option[Boolean] =
    if ((left ++ right).exists(identity)) Some(true)
    else left.zip(right).map { case (a, b) => a || b }

  private final case class Bound(text: Option[String], isExact: Option[Boolean])

  /** The wider of two bounds. Equal bounds are exact when both are.
    *
    * @param sign -1 for the smaller of the two, 1 for the greater
    */
  private def extreme(
      left: Bound,
      right: Bound,
      lakeType: LakeType.Primitive,
      sign: Int,
  ): Option[Bound] =
    for {
      leftText <- left.text
      rightText <- right.text
      leftValue <- ValueText.parseStatistic(leftText, lakeType)
      rightValue <- ValueText.parseStatistic(rightText, lakeType)
      order <- LiteralOrder.compare(leftValue, rightValue)
    } yield {
      if (order == 0)
        left.copy(isExact = left.isExact.zip(right.isExact).map { case (a, b) => a && b })
      else if (order * sign > 0) left
      else right
    }
}
