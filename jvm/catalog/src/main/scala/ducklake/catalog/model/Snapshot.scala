package ducklake.catalog.model

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

/** A snapshot with what its commit did, as stored.
  *
  * @param changesMade the change text, None when the row is missing or NULL
  */
final case class SnapshotInfo(
    snapshot: Snapshot,
    changesMade: Option[String],
    author: Option[String],
    message: Option[String],
    extraInfo: Option[String],
)
