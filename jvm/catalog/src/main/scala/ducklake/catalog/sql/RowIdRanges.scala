package ducklake.catalog.sql

/** Row ids that follow one another.
  *
  * @param first inclusive
  * @param last inclusive
  */
private[sql] final case class RowIdRange(first: Long, last: Long) {
  def size: Long = last - first + 1

  def ids: Vector[Long] = (first to last).toVector
}

private[sql] object RowIdRanges {

  /** The ranges that have exactly these row ids, increasing. */
  def of(rowIds: Vector[Long]): Vector[RowIdRange] =
    rowIds.distinct.sorted.foldLeft(Vector.empty[RowIdRange]) {
      case (done :+ range, id) if range.last + 1 == id => done :+ range.copy(last = id)
      case (done, id) => done :+ RowIdRange(id, id)
    }
}
