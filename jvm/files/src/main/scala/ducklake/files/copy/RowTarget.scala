package ducklake.files.copy

/** A receiver of copied rows. */
private[copy] trait RowTarget {

  /** How many rows can be added at once. */
  def room: Int

  /** Adds rows.
    *
    * @param fill adds their values to each leaf of the plan
    */
  def add(added: Int)(fill: Vector[LeafValueWriter] => Unit): Unit
}
