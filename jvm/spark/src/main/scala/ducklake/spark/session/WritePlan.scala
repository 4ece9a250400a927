package ducklake.spark.session

import ducklake.catalog.change.operation.Operation

/** The content of a write's commit.
  *
  * @param files all files that the operations name
  * @param again plans the write again on the newest snapshot, and deletes the files that only this
  *   plan names. None when the operations do not depend on deletes by others
  */
final case class WritePlan(
    operations: Vector[Operation],
    files: WrittenFiles,
    again: Option[() => WritePlan],
)

object WritePlan {

  /** A write whose operations do not depend on deletes by others. */
  def fixed(operations: Vector[Operation], files: WrittenFiles): WritePlan =
    WritePlan(operations, files, again = None)
}
