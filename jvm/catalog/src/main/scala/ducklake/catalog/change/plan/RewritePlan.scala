package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.TableShape

/** Groups of files with many deleted rows. Source: DuckDB 1.5.5, rewrite_data_files, observed,
  * e2e/test_rewrite_files; ours, decision 15.
  */
object RewritePlan {

  /** @param files live files
    * @param shapes of the table, oldest first
    * @param leastDeleted the share of deleted rows, from 0 to 1, from which on a file is rewritten;
    *   a file without deleted rows is never rewritten
    * @param targetBytes a group ends when the live rows of its files have about this many bytes
    * @return the groups, ordered by their first file
    */
  def of(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      leastDeleted: Double,
      targetBytes: Long,
  ): Vector[FileGroup] = {
    val chosen =
      files.filter(file => file.deleteCount > 0 && FileGroup.shareDeleted(file) >= leastDeleted)
    val groups = FileGroup.alike(chosen, shapes).flatMap(_.cut(targetBytes)(FileGroup.bytesLeft))
    FileGroup.ordered(groups)
  }
}
