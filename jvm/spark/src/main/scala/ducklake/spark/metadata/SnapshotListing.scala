package ducklake.spark.metadata

import ducklake.catalog.Lake
import ducklake.catalog.change.conflict.Change
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.model.SnapshotTexts
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType

import scala.collection.View

/** Snapshots as rows, read from the catalog one page after another. Only the requested rows stay in
  * memory.
  *
  * @param request the widest set of snapshots for the rows
  * @param isWanted which of these snapshots are rows; None: all
  * @param limit the largest number of rows
  */
private[metadata] final class SnapshotListing(
    lake: Lake,
    request: SnapshotRequest,
    isWanted: Option[(SnapshotInfo, Vector[Change]) => Boolean],
    limit: Option[Int],
    columns: StructType,
) extends LocalResult(
      columns,
      () => SnapshotListing.rows(lake, request, isWanted, limit, columns),
      hasPast = false,
    ) {

  override def scanBuilder(tableName: String): ScanBuilder =
    new SnapshotScanBuilder(tableName, this)

  /** The snapshots that satisfy these conditions, too. */
  def narrowed(
      conditions: SnapshotRequest => SnapshotRequest,
      limit: Option[Int],
      required: StructType,
  ): SnapshotListing =
    new SnapshotListing(lake, conditions(request), isWanted, limit, required)
}

private object SnapshotListing {

  private def rows(
      lake: Lake,
      request: SnapshotRequest,
      isWanted: Option[(SnapshotInfo, Vector[Change]) => Boolean],
      limit: Option[Int],
      schema: StructType,
  ): Iterable[Vector[Any]] = {
    val needsTexts = isWanted.nonEmpty ||
      schema.fieldNames.exists(SnapshotsTable.textColumns)
    val asked = request.copy(
      // When not all rows are wanted, they are chosen after the statement.
      limit = limit.filter(_ => isWanted.isEmpty),
      hoped = limit,
      texts = if (needsTexts) SnapshotTexts.Read else SnapshotTexts.LeftOut,
    )
    val indexes = schema.fieldNames.toVector.map(SnapshotsTable.schema.fieldIndex)
    View.fromIteratorProvider { () =>
      val found = for {
        info <- lake.listSnapshots(asked)
        changes = SnapshotsTable.parsed(info)
        if isWanted.forall(_(info, changes))
      } yield {
        val row = SnapshotsTable.row(info, changes)
        indexes.map(row)
      }
      limit.fold(found)(found.take)
    }
  }
}
