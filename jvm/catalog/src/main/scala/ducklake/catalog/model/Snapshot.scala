package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** One committed transaction.
  *
  * Source: spec 1.0, ducklake_snapshot.
  */
final case class Snapshot(
    id: SnapshotId,
    time: Instant,
    schemaVersion: Long,
    nextCatalogId: Long,
    nextFileId: Long,
)

/** A snapshot with the stored description of its commit.
  *
  * @param changesMade the text of the column `changes_made`, empty when the commit changed nothing,
  *   None when the row is missing
  */
final case class SnapshotInfo(
    snapshot: Snapshot,
    changesMade: Option[String],
    author: Option[String],
    message: Option[String],
    extraInfo: Option[String],
)
