package ducklake.catalog.change.statistics

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SnapshotId

/** The bounds of all rows of a table in the catalog up to a snapshot: of all its files, files that
  * are kept for past snapshots included, and of all its inlined rows.
  *
  * @param nextFileId files with lower ids count
  * @param columns by leaf column
  */
final case class KeptBounds(
    at: SnapshotId,
    nextFileId: Long,
    columns: KnownBounds,
)

/** The bounds of a set of rows. */
sealed trait KnownBounds {

  /** The bounds of both sets of rows together.
    *
    * @param leaves types of the table's live leaf columns
    */
  final def and(
      other: KnownBounds,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): KnownBounds = (this, other) match {
    case (KnownBounds.NoRows, _) => other
    case (_, KnownBounds.NoRows) => this
    case (KnownBounds.Of(these), KnownBounds.Of(those)) =>
      KnownBounds.Of(for {
        (id, bounds) <- these
        more <- those.get(id)
        lakeType <- leaves.get(id)
        both <- StatsMerge.union(bounds, more, lakeType)
      } yield id -> both)
  }
}

object KnownBounds {
  case object NoRows extends KnownBounds

  /** @param columns nothing is known about a column that is absent */
  final case class Of(columns: Map[ColumnId, ColumnBounds]) extends KnownBounds
}

/** The size of a table in the catalog, at the moment of a commit.
  *
  * @param rows of live files and of the catalog itself; deleted rows of files count
  * @param bytes of live files
  * @param isWhole whether no deleted or replaced row is kept, for past snapshots or in a live file
  */
final case class KeptRows(rows: Long, bytes: Long, isWhole: Boolean)

/** The statistics of a table as stored, and as recomputed. */
final case class RecomputedStatistics(before: TableStatistics, after: TableStatistics)

object RecomputedStatistics {

  /** DuckDB answers MIN and MAX from the bounds when the recorded number of rows is the true
    * number. So the true number of rows is recorded only when the bounds are the bounds of the
    * present rows.
    *
    * @param mayAppear columns that may get their first bounds. A column whose type changed must
    *   not: DuckDB reads past snapshots with today's bounds in the past type
    * @param hasExactBounds whether the catalog records which bounds are values
    *
    * Source: format 3.4, observed, e2e/test_recompute_statistics.
    */
  def of(
      before: TableStatistics,
      bounds: KnownBounds,
      kept: KeptRows,
      mayAppear: Set[ColumnId],
      hasExactBounds: Boolean,
  ): RecomputedStatistics = {
    def appears(id: ColumnId, found: ColumnBounds) = mayAppear(id) && found.containsNull.nonEmpty
    val known = bounds match {
      case KnownBounds.NoRows => Map.empty[ColumnId, ColumnBounds]
      case KnownBounds.Of(columns) => columns
    }
    val columns = known.collect {
      case (id, found) if before.columns.contains(id) || appears(id, found) =>
        id -> stored(found, before.columns.get(id), kept.isWhole, hasExactBounds)
    }
    val records = before.recordCount.map { count =>
      if (kept.isWhole) kept.rows else math.max(count, kept.rows + 1)
    }
    RecomputedStatistics(before, TableStatistics(records, before.nextRowId, kept.bytes, columns))
  }

  /** Values missing in the statistics of the files keep their stored value: it held for more rows.
    *
    * @param before the stored statistics of the column
    */
  private def stored(
      bounds: ColumnBounds,
      before: Option[ColumnBounds],
      isWhole: Boolean,
      hasExactBounds: Boolean,
  ): ColumnBounds = {
    def flag(isExact: Option[Boolean]): Option[Boolean] =
      isExact.filter(_ => hasExactBounds).map(_ && isWhole)
    bounds.copy(
      containsNull = bounds.containsNull.orElse(before.flatMap(_.containsNull)),
      containsNan = bounds.containsNan.orElse(before.flatMap(_.containsNan)),
      minIsExact = flag(bounds.minIsExact),
      maxIsExact = flag(bounds.maxIsExact),
      isEmpty = false,
    )
  }
}
