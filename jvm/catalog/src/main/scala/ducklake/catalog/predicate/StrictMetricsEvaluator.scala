package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Decides whether every row matches, the counterpart of [[StatsPruning]] and [[PartitionPruning]].
  * The answer *yes* is certain; the answer *no* may be wrong. A row for which the predicate is NULL
  * does not match.
  *
  * Source: ours, decision 0012.
  */
object StrictMetricsEvaluator {

  /** Whether all rows of a file match, by its statistics and the values of its identity partition
    * keys.
    *
    * @param partition the file's partition values and the spec that they were written for
    * @param typeOf current types of the columns whose metrics may be used; other columns count as
    *   unknown
    */
  def allRowsMatch(
      predicate: Predicate,
      stats: ColumnId => Option[ColumnStatistics],
      partition: Option[(PartitionSpec, FilePartition)],
      typeOf: ColumnId => Option[LakeType],
  ): Boolean = {
    def known(column: ColumnId): ColumnMetrics = {
      val byKeys = partition.map { case (spec, values) =>
        PartitionPruning.byIdentity(spec, values, typeOf)(column)
      }
      val byStatistics = StatsPruning.byStatistics(stats, typeOf)(column)
      byKeys.fold(byStatistics)(byStatistics.and)
    }
    matchesAll(
      predicate,
      column => typeOf(column).fold(ColumnMetrics.nothing)(exactOnly(known(column), _)),
    )
  }

  /** Whether one row certainly matches. `values` gives the row's value of a column, None where it
    * is not known.
    */
  def rowMatches(predicate: Predicate, values: ColumnId => Option[Literal]): Boolean =
    matchesAll(predicate, StatsPruning.byValue(values))

  private def matchesAll(predicate: Predicate, metrics: ColumnId => ColumnMetrics): Boolean =
    !InclusiveMetricsEvaluator.mayNotBeTrue(
      predicate,
      column => Some(metrics(column)).filter(_.isPossible).getOrElse(ColumnMetrics.nothing),
    )

  /** The stored metrics, for types whose stored bounds hold exactly for the values that are read.
    * Other types count as unknown: for example, some writers round timestamps of seconds and
    * milliseconds.
    */
  private def exactOnly(stored: => ColumnMetrics, lakeType: LakeType): ColumnMetrics =
    lakeType match {
      case LakeType.Bool | LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 |
          LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 | LakeType.Float32 |
          LakeType.Float64 | LakeType.Decimal(_, _) | LakeType.Date | LakeType.Timestamp |
          LakeType.TimestampTz | LakeType.Varchar | LakeType.Uuid =>
        stored
      case LakeType.Int128 | LakeType.UInt128 | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz |
          LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
          LakeType.TimestampTzNs | LakeType.Interval | LakeType.NullType | LakeType.Blob |
          LakeType.Json | LakeType.Variant | LakeType.Geometry(_) | LakeType.Unknown(_) |
          LakeType.ListType | LakeType.StructType | LakeType.MapType =>
        ColumnMetrics.nothing
    }
}
