package ducklake.catalog.change

import ducklake.catalog.model.SnapshotId

/** One version of an inlined row: the row id, and the snapshot that wrote the version. */
final case class InlinedVersion(rowId: Long, begin: SnapshotId)

/** What has to happen to the inlined rows of a table so that it has those of a past snapshot.
  *
  * @param ended row ids whose present version ends
  * @param returned past versions that come back
  */
final case class InlinedDifference(ended: Vector[Long], returned: Vector[InlinedVersion])

object InlinedDifference {

  def between(
      past: Vector[InlinedVersion],
      present: Vector[InlinedVersion],
  ): InlinedDifference = {
    val now = present.toSet
    val before = past.toSet
    InlinedDifference(
      present.filterNot(before).map(_.rowId).distinct.sorted,
      past.filterNot(now).sortBy(version => (version.rowId, version.begin.value)),
    )
  }
}
