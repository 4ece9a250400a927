package ducklake.catalog.change

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.TableShape

/** Groups of files with many deleted rows. Source: DuckDB 1.5.5, rewrite_data_files, observed,
  * e2e/test_rewrite_files; ours, decision 0034.
  */
object RewritePlan {

  /** @param files live files
    * @param shapes of the table, oldest first
    * @param leastDeleted the share of deleted rows, from 0 to 1, from which on a file is rewritten; a
    *   file without deleted rows is never rewritten
    * @param targetBytes a group ends when about so many bytes are left of its files
    * @return the groups, ordered by their first file
    */
  def of(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      leastDeleted: Double,
      targetBytes: Long,
  ): Vector[FileGroup] = {
    val chosen = files.filter(file => file.deleteCount > 0 && share(file) >= leastDeleted)
    val groups = FileGroup.alike(chosen, shapes).flatMap(_.cut(targetBytes)(bytesLeft))
    FileGroup.ordered(groups)
  }

  /** At the newest snapshot all deletes of the catalog count. */
  private def share(file: DataFile): Double =
    if (file.recordCount <= 0) 1.0
    else math.min(1.0, file.deleteCount.toDouble / file.recordCount.toDouble)

  private def bytesLeft(file: DataFile): Long =
    math.round(file.sizeBytes.toDouble * (1.0 - share(file)))
}
