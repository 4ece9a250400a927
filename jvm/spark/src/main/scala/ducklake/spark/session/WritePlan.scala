package ducklake.spark.session

import ducklake.catalog.change.operation.Operation

/** What a write commits.
  *
  * @param files all files that the operations name
  * @param again plans the write again on the newest snapshot, and deletes the files that only this plan
  *   names. None when the operations do not depend on what others have deleted
  */
final case class WritePlan(
    operations: Vector[Operation],
    files: WrittenFiles,
    again: Option[() => WritePlan],
)

object WritePlan {

  /** A write whose operations do not depend on what others have deleted. */
  def fixed(operations: Vector[Operation], files: WrittenFiles): WritePlan =
    WritePlan(operations, files, again = None)
}
