package ducklake.spark.read

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.RowVisibility

/** Rows of a file that a scan returns, as far as the catalog tells. */
object LiveRows {

  /** A lower bound: what the file holds less all its deletes; nothing where only part is seen. */
  def atLeast(file: DataFile): Long = {
    val seen = file.visibility match {
      case RowVisibility.All => file.recordCount
      case RowVisibility.Embedded(_) => 0L
      case RowVisibility.Prefix(rows, _) => rows
    }
    (seen - deleted(file)).max(0)
  }

  /** For planning only: the same, but a file seen in part counts as whole. */
  def estimate(file: DataFile): Long = (file.recordCount - deleted(file)).max(0)

  private def deleted(file: DataFile): Long =
    file.deleteFile.map(_.deleteCount).getOrElse(0L) + file.inlinedDeletes.length
}
