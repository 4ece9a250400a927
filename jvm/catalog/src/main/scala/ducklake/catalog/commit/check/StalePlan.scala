package ducklake.catalog.commit.check

import ducklake.catalog.error.LakeException

import scala.util.control.NoStackTrace

/** Thrown to roll back a commit whose deletes were planned before another commit deleted rows of
  * the same files, or compacted them. The deletes can be planned again on the newest snapshot.
  *
  * @param conflict the error when the deletes are not planned again
  */
private[commit] final class StalePlan(val conflict: LakeException)
    extends RuntimeException(conflict)
    with NoStackTrace
