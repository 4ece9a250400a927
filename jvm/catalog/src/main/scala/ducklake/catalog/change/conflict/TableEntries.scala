package ducklake.catalog.change.conflict

import ducklake.catalog.types.SnapshotId

/** The entries in `changes_made` of one snapshot that are about one table. */
final case class TableEntries(snapshot: SnapshotId, changes: Vector[Change]) {
  import ChangeKind.*

  private def has(kinds: ChangeKind*): Boolean =
    changes.exists(change => kinds.contains(change.kind))

  /** Whether the table's change feed may have rows of the snapshot. */
  def mayChangeRows: Boolean =
    has(
      InsertedInto,
      InlinedInsert,
      DeletedFrom,
      InlinedDelete,
      RewriteDelete,
      Compacted,
      DroppedTable,
    )

  /** Whether the snapshot neither deleted rows nor moved any. */
  def keepsRows: Boolean =
    !has(
      DeletedFrom,
      InlinedDelete,
      DroppedTable,
      Flush,
      OldFlush,
      MergeAdjacent,
      RewriteDelete,
      Compacted,
    )

  /** Whether the snapshot deleted or updated rows for certain. */
  def deletesRows: Boolean = has(InlinedDelete, DroppedTable)

  /** Whether the snapshot may have deleted or updated rows. A flush that moves inlined deletes to
    * files has this entry too, in DuckDB without an entry for a flush.
    */
  def mayDeleteRows: Boolean = deletesRows || has(DeletedFrom)

  /** Whether the snapshot moved inlined rows to files. */
  def flushesRows: Boolean = has(Flush, OldFlush)
}
