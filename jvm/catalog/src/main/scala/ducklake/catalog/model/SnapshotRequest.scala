package ducklake.catalog.model

import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** Which snapshots a listing has. A snapshot must satisfy all given conditions.
  *
  * @param first the smallest id
  * @param last the largest id
  * @param since no snapshot before this time is needed; the listing may contain earlier ones
  * @param until no snapshot after this time is needed; the listing may contain later ones
  * @param table only snapshots that name this table by its id, or in which a row of the table
  *   begins; the listing may contain others
  * @param order of the ids
  * @param limit the largest number of snapshots
  * @param hoped how many of these snapshots may be enough; the others are read when they are needed
  * @param texts whether the changes and the commit information are read, too
  */
final case class SnapshotRequest(
    first: Option[SnapshotId] = None,
    last: Option[SnapshotId] = None,
    since: Option[Instant] = None,
    until: Option[Instant] = None,
    table: Option[TableId] = None,
    order: SnapshotOrder = SnapshotOrder.OldestFirst,
    limit: Option[Int] = None,
    hoped: Option[Int] = None,
    texts: SnapshotTexts = SnapshotTexts.Read,
)

sealed trait SnapshotOrder

object SnapshotOrder {
  case object OldestFirst extends SnapshotOrder
  case object NewestFirst extends SnapshotOrder
}

sealed trait SnapshotTexts

object SnapshotTexts {
  case object Read extends SnapshotTexts
  case object LeftOut extends SnapshotTexts
}
