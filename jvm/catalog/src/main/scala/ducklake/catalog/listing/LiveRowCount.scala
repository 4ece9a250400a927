package ducklake.catalog.listing

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.RowVisibility

/** Counts the rows of a file that a scan returns, from the catalog alone. */
object LiveRowCount {

  /** A lower bound: the visible rows of the file minus all its deletes; 0 when the catalog does not
    * record how many rows are visible.
    */
  def atLeast(file: DataFile): Long = {
    val seen = file.visibility match {
      case RowVisibility.All => file.recordCount
      case RowVisibility.Embedded(_) => 0L
      case RowVisibility.Runs(start, end, _) => end - start
    }
    (seen - file.deleteCount).max(0)
  }

  /** For planning only: an estimate that counts all rows of the file minus its deletes, also when
    * only a part is visible.
    */
  def estimate(file: DataFile): Long = (file.recordCount - file.deleteCount).max(0)
}
