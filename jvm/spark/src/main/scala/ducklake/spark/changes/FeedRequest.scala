package ducklake.spark.changes

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.SnapshotId
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.types.StructType

/** A change feed as Spark requested it. Two equal requests read the same rows.
  *
  * @param at the table whose columns the feed has
  * @param range the snapshots of the feed
  * @param wanted the snapshots of the range that remain under the filters
  * @param sides the sides that remain under the filters
  * @param columns the columns to read, one for each field of `schema`
  * @param predicates filters on columns of the table that all must hold; rows for which a filter is
  *   false may still be returned
  * @param leftOut snapshots whose changes are left out
  */
private[changes] final case class FeedRequest(
    at: TableAtSnapshot,
    kind: FeedKind,
    range: SnapshotRange,
    wanted: SnapshotRange,
    sides: Vector[ChangeSide],
    columns: Vector[FeedColumn],
    schema: StructType,
    predicates: Vector[Predicate],
    leftOut: Set[SnapshotId] = Set.empty,
) {

  /** The requested columns of the table. */
  def data: Vector[ReadColumn.Data] = columns.collect { case FeedColumn.Data(column) => column }

  /** Whether the feed must distinguish updates from deletes and inserts. */
  def needsPairs: Boolean = columns.contains(FeedColumn.ChangeType)
}
