package ducklake.files.delete

/** The content of a delete file: the positions that are deleted, at any snapshot. */
private[delete] sealed trait DeletesOfFile {

  /** The positions that are deleted at the snapshot. Errors: the errors of
    * [[DeletesOfFile.Vectors]].
    */
  def at(snapshot: Long): DeletedPositions

  /** Approximate size in memory. */
  def bytes: Long
}

private[delete] object DeletesOfFile {

  /** The bytes of an object with two arrays, without their elements. */
  private val ObjectBytes = 128L

  private val NumberBytes = 8L

  /** Positions without snapshots, which are deleted at every snapshot that has the delete file. */
  final case class Always(positions: DeletedPositions) extends DeletesOfFile {
    def at(snapshot: Long): DeletedPositions = positions
    def bytes: Long = ObjectBytes + NumberBytes * positions.size
  }

  /** Positions with the snapshots that deleted them. Most reads are at a later snapshot than all of
    * these, so the positions of all snapshots are made once.
    */
  final case class Since(positions: SnapshotPositions) extends DeletesOfFile {
    private val last = positions.lastSnapshot
    private lazy val all = positions.at(last)

    def at(snapshot: Long): DeletedPositions =
      if (snapshot >= last) all else positions.at(snapshot)

    def bytes: Long = 2 * ObjectBytes + 3 * NumberBytes * positions.size
  }

  /** Deletion vectors of several snapshots. The vectors stay packed; the positions at a snapshot
    * after all vectors are computed in advance.
    *
    * Errors: IllegalArgumentException with the reason why a vector is invalid.
    */
  final case class Vectors(file: PuffinFile) extends DeletesOfFile {
    private val all = file.at(Long.MaxValue)

    def at(snapshot: Long): DeletedPositions =
      if (snapshot >= file.lastSnapshot) all else file.at(snapshot)

    def bytes: Long = 2 * ObjectBytes + file.sizeBytes + NumberBytes * all.size
  }
}
