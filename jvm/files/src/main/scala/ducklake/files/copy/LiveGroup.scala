package ducklake.files.copy

import ducklake.catalog.model.RowVisibility
import ducklake.files.delete.DeletedPositions

/** A row group of a source with live rows.
  *
  * @param first the position of its first row in the file
  * @param rows how many rows it has
  * @param visible how many rows, from the first on, are visible unless they are deleted
  */
private[copy] final case class LiveGroup(
    number: Int,
    first: Long,
    rows: Long,
    visible: Long,
    deletes: DeletedPositions,
) {
  private val deleted = deletes.countIn(first, visible)

  def isWhole: Boolean = deleted == 0 && visible == rows

  private def isEmpty: Boolean = deleted >= visible
}

private[copy] object LiveGroup {

  /** The row groups of a source, in order. */
  def of(source: SourceReader): Vector[LiveGroup] = {
    val deletes = source.file.deletes()
    val end = source.file.visibility match {
      case RowVisibility.Runs(_, last, _) => last
      case RowVisibility.All | RowVisibility.Embedded(_) => Long.MaxValue
    }
    val counts = source.groups.map(_.getRowCount)
    counts
      .zip(counts.scanLeft(0L)(_ + _))
      .zipWithIndex
      .collect {
        case ((rows, first), number) if first < end =>
          LiveGroup(number, first, rows, math.min(rows, end - first), deletes)
      }
      .filterNot(_.isEmpty)
  }
}
