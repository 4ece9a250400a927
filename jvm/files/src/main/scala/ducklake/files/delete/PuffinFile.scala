package ducklake.files.delete

import java.util.Arrays

/** The deletion vectors of one data file: a file with one vector, or a Puffin container with
  * several. A container that DuckLake wrote has a vector for each snapshot that deleted rows, and
  * each vector holds all positions that were deleted up to its snapshot.
  *
  * @param vectors ordered by snapshot
  * @param rows of the data file
  *
  * Source: format 14.6.
  */
private[delete] final class PuffinFile private (
    bytes: Array[Byte],
    vectors: Vector[PuffinBlob],
    rows: Long,
) {

  /** The positions that are deleted at this snapshot. Vectors without a snapshot count always. */
  def at(snapshot: Long): DeletedPositions = {
    val (dated, undated) = vectors.partition(_.snapshot.nonEmpty)
    val latest = dated.filter(_.snapshot.exists(_ <= snapshot)).lastOption
    (undated ++ latest).map(positions).foldLeft(DeletedPositions.empty)(_.union(_))
  }

  /** The snapshot of the last vector; `Long.MinValue` when no vector has a snapshot. */
  val lastSnapshot: Long = vectors.flatMap(_.snapshot).maxOption.getOrElse(Long.MinValue)

  def sizeBytes: Long = bytes.length.toLong

  /** All positions, each with the snapshot of the first vector that contains it.
    *
    * @param begin the snapshot for vectors without a snapshot
    */
  def withSnapshots(begin: Long): SnapshotPositions =
    vectors
      .map { vector =>
        val deleted = decoded(vector)
        SnapshotPositions.of(deleted, Array.fill(deleted.length)(vector.snapshot.getOrElse(begin)))
      }
      .foldLeft(SnapshotPositions.empty)(_.union(_))

  private def positions(vector: PuffinBlob): DeletedPositions = DeletedPositions.of(decoded(vector))

  private def decoded(vector: PuffinBlob): Array[Long] =
    DeletionVector.decode(
      Arrays.copyOfRange(bytes, vector.offset, vector.offset + vector.length),
      rows,
    )
}

private[delete] object PuffinFile {

  /** @param rows of the data file
    *
    * Errors: IllegalArgumentException with the reason why the bytes are invalid.
    */
  def apply(bytes: Array[Byte], rows: Long): PuffinFile = {
    val vectors =
      if (PuffinFooter.isContainer(bytes)) ordered(PuffinFooter.vectors(bytes))
      else Vector(PuffinBlob(0, bytes.length, None))
    new PuffinFile(bytes, vectors, rows)
  }

  private def ordered(vectors: Vector[PuffinBlob]): Vector[PuffinBlob] = {
    val snapshots = vectors.flatMap(_.snapshot)
    require(vectors.nonEmpty, "the Puffin file has no deletion vector")
    require(
      snapshots.isEmpty || snapshots.size == vectors.size,
      "the Puffin file has deletion vectors with and without a snapshot",
    )
    require(snapshots.distinct.size == snapshots.size, "two deletion vectors have one snapshot")
    vectors.sortBy(_.snapshot)
  }
}
