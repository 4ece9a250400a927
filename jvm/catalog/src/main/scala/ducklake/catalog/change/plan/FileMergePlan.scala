package ducklake.catalog.change.plan

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.TableShape

/** Limits on which files are merged, and into how many.
  *
  * @param targetBytes a group of files ends when it has so many bytes; larger files are left alone
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostGroups the largest number of groups
  * @param order which groups are taken when there are more
  */
final case class FileMergeLimits(
    targetBytes: Long,
    leastBytes: Long,
    belowBytes: Long,
    mostGroups: Long,
    order: MergeOrder = MergeOrder.OldestFirst,
) {
  def admit(sizeBytes: Long): Boolean =
    sizeBytes >= leastBytes && sizeBytes < belowBytes && sizeBytes < targetBytes
}

/** Which groups of files a merge begins with. */
sealed trait MergeOrder

object MergeOrder {

  /** Those with the oldest first file, as in DuckDB. */
  case object OldestFirst extends MergeOrder

  /** Those with the most files. A merged file counts once, so limited merges, one after another, come
    * to all partitions.
    */
  case object MostFilesFirst extends MergeOrder
}

/** Groups of adjacent files. Source: DuckDB 1.5.5, merge_adjacent_files, observed,
  * e2e/test_merge_files; ours, decisions 14 and 15.
  */
object FileMergePlan {

  /** @param files live files without deletes
    * @param shapes of the table, oldest first
    * @return the groups of at least two files, in the order of the limits
    */
  def of(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      limits: FileMergeLimits,
  ): Vector[FileGroup] =
    chosen(runs(files, shapes, limits)(_.sizeBytes), limits)

  /** Small files with deletes that are rewritten without their deleted rows, so that later merges
    * take them. A file that would not be merged with another file is left out.
    *
    * @param files live files, with deletes or without
    * @param shapes of the table, oldest first
    * @param isWhole whether a file never had deletes, so that a merge can take it unchanged
    * @return the groups, in the order of the limits; files without deletes are in none of them
    */
  def withDeletes(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      limits: FileMergeLimits,
      isWhole: DataFile => Boolean,
  ): Vector[FileGroup] = {
    val rewritten = runs(files, shapes, limits)(FileGroup.bytesLeft).flatMap { run =>
      val thinned = run.files.filterNot(isWhole)
      // A new file has the newest shape, so the other files of the run must also have it.
      val isAlone = thinned.sizeIs == 1 && !FileGroup.hasNewestShape(thinned.head, shapes)
      Option.when(thinned.nonEmpty && !isAlone)(run.copy(files = thinned))
    }
    chosen(rewritten, limits)
  }

  /** The admitted files that are merged: runs of at least two files. */
  private def runs(files: Vector[DataFile], shapes: Vector[TableShape], limits: FileMergeLimits)(
      bytes: DataFile => Long
  ): Vector[FileGroup] =
    FileGroup
      .alike(files.filter(file => limits.admit(file.sizeBytes)), shapes)
      .flatMap(_.cut(limits.targetBytes)(bytes))
      .filter(_.files.sizeIs > 1)

  private def chosen(groups: Vector[FileGroup], limits: FileMergeLimits): Vector[FileGroup] = {
    val wanted = math.min(limits.mostGroups, groups.size.toLong).toInt
    val oldestFirst = FileGroup.ordered(groups)
    val ordered = limits.order match {
      case MergeOrder.OldestFirst => oldestFirst
      case MergeOrder.MostFilesFirst => oldestFirst.sortBy(-_.files.size)
    }
    ordered.take(wanted)
  }
}
