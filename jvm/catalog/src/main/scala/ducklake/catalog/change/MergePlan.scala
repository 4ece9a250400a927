package ducklake.catalog.change

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.TableShape

/** Which files are merged, and into how many.
  *
  * @param targetBytes a group of files ends when it has so many bytes; larger files are left alone
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostGroups the largest number of groups
  */
final case class MergeLimits(
    targetBytes: Long,
    leastBytes: Long,
    belowBytes: Long,
    mostGroups: Long,
) {
  def admit(sizeBytes: Long): Boolean =
    sizeBytes >= leastBytes && sizeBytes < belowBytes && sizeBytes < targetBytes
}

/** Groups of adjacent files. Source: DuckDB 1.5.5, merge_adjacent_files, observed,
  * e2e/test_merge_files; ours, decision 0033.
  */
object MergePlan {

  /** @param files live files without deletes
    * @param shapes of the table, oldest first
    * @return the groups of at least two files, ordered by their first file
    */
  def of(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      limits: MergeLimits,
  ): Vector[FileGroup] = {
    val groups = FileGroup
      .alike(files.filter(file => limits.admit(file.sizeBytes)), shapes)
      .flatMap(_.cut(limits.targetBytes)(_.sizeBytes))
      .filter(_.files.sizeIs > 1)
    val wanted = math.min(limits.mostGroups, groups.size.toLong).toInt
    FileGroup.ordered(groups).take(wanted)
  }
}
