package ducklake.spark.changes

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.ChangeRequest
import ducklake.catalog.read.InlinedChangesRequest
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Change feeds for streams, which read one range of snapshots after another. */
object ChangeFeed {

  /** A range of a feed with all its columns, then its hidden columns.
    *
    * @param leftOut snapshots of the range whose changes are left out
    */
  def batch(
      at: TableAtSnapshot,
      kind: FeedKind,
      range: SnapshotRange,
      leftOut: Set[SnapshotId],
  ): Batch = {
    val columns = new FeedColumns(at, kind)
    val hidden = columns.hidden
      .filter(column => columns.own.contains(column.name))
      .map(column => StructField(column.name, column.dataType, column.isNullable))
    val schema = StructType(columns.schema.fields ++ hidden)
    val request = FeedRequest(
      at,
      kind,
      range,
      range,
      kind.sides,
      columns.of(schema),
      schema,
      Vector.empty,
      leftOut,
    )
    new ChangeFeedScan(schema, request, Vector.empty, stream = None).toBatch
  }

  /** About how much the snapshots from `from` to that of `at` changed, by the catalog alone.
    *
    * Errors: ChangesExpired.
    */
  def sizes(at: TableAtSnapshot, kind: FeedKind, from: SnapshotId): Vector[ChangeSize] = {
    val inlined = new InlinedSizes(kind.sides)
    val asked = ChangeRequest(from, Some(InlinedChangesRequest(Vector.empty, inlined)))
    val listing = at.snapshot.changes(at.table, asked)
    ChangeSize.of(listing, kind.sides, inlined.rows)
  }
}
