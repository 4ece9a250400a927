package ducklake.catalog.listing

import ducklake.catalog.model.DataFile
import ducklake.catalog.types.SnapshotId

/** The rows of a table at one snapshot that follow a place, the first of them.
  *
  * @param parts in the order of a [[ducklake.catalog.model.RowPlace]]
  * @param hasMore whether more may follow
  * @param keepsPlace whether the files before the place are still there; a compaction may have
  *   replaced some of them, and then the other answers mean nothing
  */
final case class AddedRows(parts: Vector[AddedPart], hasMore: Boolean, keepsPlace: Boolean)

/** Rows that are read as a whole, unless several snapshots added them. */
sealed trait AddedPart {

  /** The first snapshot after the place that added rows of the part. All its rows count there. */
  def added: SnapshotId
}

object AddedPart {
  final case class InFile(added: SnapshotId, file: DataFile) extends AddedPart

  /** The inlined rows that a snapshot added. */
  final case class Inlined(added: SnapshotId, rows: Long) extends AddedPart

  implicit val order: Ordering[AddedPart] = Ordering.by {
    case InFile(added, file) => (added.value, file.id.value)
    case Inlined(added, _) => (added.value, Long.MaxValue)
  }
}
